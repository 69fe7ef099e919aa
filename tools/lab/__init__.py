"""How hf scales: traces of its tasks, replays of them on other numbers of ranks, models, plots."""
