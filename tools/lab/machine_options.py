"""Options that describe the machine a replay simulates, the same for all tools."""

from . import models
from .failure import Failure
from .network import Network


def add_machine_options(parser):
    group = parser.add_argument_group("the simulated machine", "one of today's clusters unless told otherwise")
    group.add_argument("--latency", type=float, default=1.5e-6, metavar="SECONDS",
                       help="alpha of a message (default %(default)g)")
    group.add_argument("--bandwidth", type=float, default=10e9, metavar="BYTES",
                       help="bytes per second of a message, 1/beta (default %(default)g)")
    group.add_argument("--pingpong", metavar="FILE", help="take both from a file of hf-bench pingpong --json")
    group.add_argument("--counter-latency", type=float, default=3e-6, metavar="SECONDS",
                       help="one operation on the memory of another rank, there and back (default %(default)g)")
    group.add_argument("--counter-service", type=float, default=2e-7, metavar="SECONDS",
                       help="of that, the time in which nobody else is served (default %(default)g)")
    group.add_argument("--counter-needs-home", action="store_true",
                       help="operations on the memory of a rank wait until it is between two tasks")
    group.add_argument("--manager-service", type=float, default=1e-6, metavar="SECONDS",
                       help="the manager's time for one request (default %(default)g)")
    group.add_argument("--addition", type=float, default=models.GAMMA_SECONDS, metavar="SECONDS",
                       help="gamma, one addition in a sum over the processes (default %(default)g)")
    group.add_argument("--ranks-per-node", type=int, default=1, metavar="R",
                       help="that share memory, where messages take as the next two options say (default %(default)s)")
    group.add_argument("--node-latency", type=float, default=0.3e-6, metavar="SECONDS",
                       help="alpha of a message within a node (default %(default)g)")
    group.add_argument("--node-bandwidth", type=float, default=20e9, metavar="BYTES",
                       help="bytes per second of a message within a node (default %(default)g)")
    group.add_argument("--cores-per-node", type=int, default=0, metavar="C",
                       help="that the threads of a node share; more threads than that slow each other down (default: "
                            "as many as threads)")


def network(arguments):
    """The Network of these options."""
    for option, value in (("--bandwidth", arguments.bandwidth), ("--node-bandwidth", arguments.node_bandwidth)):
        if value <= 0.0:
            raise Failure(f"{option}: {value:g} is not above 0")
    alpha, beta = arguments.latency, 1.0 / arguments.bandwidth
    try:
        if arguments.pingpong:
            machine = models.machine_from_pingpong(arguments.pingpong)
            alpha, beta = machine.alpha_seconds, machine.beta_seconds_per_word / models.BYTES_PER_WORD
        return Network(alpha, beta, arguments.counter_latency, arguments.counter_service, arguments.manager_service,
                       counter_needs_home=arguments.counter_needs_home, ranks_per_node=arguments.ranks_per_node,
                       node_alpha_seconds=arguments.node_latency,
                       node_beta_seconds_per_byte=1.0 / arguments.node_bandwidth,
                       addition_seconds=arguments.addition, cores_per_node=arguments.cores_per_node)
    except ValueError as error:
        raise Failure(str(error)) from error
