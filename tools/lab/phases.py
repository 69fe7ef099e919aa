"""The phases of hf's report: what they count as, and the colours they have in all figures.

Colours are those of Okabe and Ito, which colour-blind people can tell apart; what is neither work on integrals nor
waiting is grey."""

TOTAL = "Total"
COMPUTING = "Fock: computing"
COULOMB_PASS = "Fock: Coulomb pass"
WAITING_FOR_BLOCKS = "Fock: waiting for blocks"
WAITING_FOR_TASKS = "Fock: waiting for tasks"
WAITING_FOR_LAST_RANK = "Fock: waiting for the last rank"
MOVING_MATRICES = "Fock: moving matrices"
FOCK = (COMPUTING, WAITING_FOR_BLOCKS, WAITING_FOR_TASKS, WAITING_FOR_LAST_RANK, MOVING_MATRICES)
BUILD = (COULOMB_PASS, COMPUTING, WAITING_FOR_LAST_RANK, MOVING_MATRICES)  # as replays have them
COMMUNICATION = (WAITING_FOR_BLOCKS, MOVING_MATRICES)
IDLE = (WAITING_FOR_TASKS, WAITING_FOR_LAST_RANK)
MP2_FIRST, MP2_WAITING, MP2_EXCHANGE, MP2_SECOND = (
    "MP2: first half", "MP2: waiting", "MP2: exchange", "MP2: second half")
GRADIENT, GRADIENT_BLOCKS, GRADIENT_TASKS, GRADIENT_LAST, GRADIENT_MATRICES = (
    "Gradient: quartets", "Gradient: waiting for blocks", "Gradient: waiting for tasks", "Gradient: waiting for last rank",
    "Gradient: moving matrices")
LOCAL_EXCHANGE = "Local MP2: exchange"
REST = "Outside of the phases"

STORED_COLOUR = "#56B4E9"
OTHER_COLOUR = "#AAAAAA"
COLOURS = {
    COMPUTING: "#0072B2",
    COULOMB_PASS: "#00436B",
    WAITING_FOR_BLOCKS: "#CC79A7",
    WAITING_FOR_TASKS: "#E69F00",
    WAITING_FOR_LAST_RANK: "#D55E00",
    MOVING_MATRICES: "#009E73",
    MP2_FIRST: "#0072B2",
    MP2_SECOND: "#00436B",
    MP2_EXCHANGE: "#009E73",
    MP2_WAITING: "#D55E00",
    "MP2: amplitudes": "#00436B",
    "MP2: derivatives": "#56B4E9",
    "Relaxation: linear algebra": "#F0E442",
    "Local MP2: transformation": "#0072B2",
    "Local MP2: last quarters": "#00436B",
    "Local MP2: iterations": "#56B4E9",
    LOCAL_EXCHANGE: "#009E73",
    "Local MP2: waiting for tasks": "#E69F00",
    "Local MP2: waiting for amplitudes": "#CC79A7",
    GRADIENT: "#0072B2",
    GRADIENT_BLOCKS: "#CC79A7",
    GRADIENT_TASKS: "#E69F00",
    GRADIENT_LAST: "#D55E00",
    GRADIENT_MATRICES: "#009E73",
    "Diagonalisation": "#F0E442",
    "Set-up": "#555555",
    "One-electron integrals": "#777777",
    "Initial guess": "#999999",
    "Other linear algebra": "#BBBBBB",
    "Properties": "#C8C8C8",
    "Output": "#D5D5D5",
    REST: "#EBEBEB",
}


def colour(phase):
    return COLOURS.get(phase, OTHER_COLOUR)
