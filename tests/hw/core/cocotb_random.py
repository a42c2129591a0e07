"""Random programs on the Core."""

import os
import random

import cocotb
from bench import Bench, Stalls, config_of_test
from stimulus import random_stimulus

SEED = int(os.environ.get("EMBER_TEST_SEED", "1"))
TOKENS = int(os.environ.get("EMBER_TEST_TOKENS", "120"))
RUNS = int(os.environ.get("EMBER_TEST_RUNS", "4"))


@cocotb.test()
async def random_programs(dut):
    """Several runs without a reset in between, each with its own program and back-pressure."""
    config = config_of_test()
    for n in range(RUNS):
        seed = f"{SEED}.{n}"
        cocotb.log.info("seed %s", seed)
        rng = random.Random(seed)
        bench = Bench(dut, config, rng)
        if n == 0:
            await bench.reset()
        stimulus = random_stimulus(rng, config, TOKENS)
        await bench.load(stimulus)
        levels = (0.0, 0.0, 0.3, 0.8)
        stalls = Stalls(*(rng.choice(levels) for _ in range(4)))
        limit = 2000 + 40 * (len(stimulus.tokens) + len(stimulus.vectors) * config.div_interval)
        errors = 0.1 if n % 2 else 0.0
        run = await bench.run(stimulus, stalls, limit=limit, error_rate=errors)
        bench.check(stimulus, run)
        cocotb.log.info("%s: %d cycles, %d writes", stalls, run.cycles, len(run.writes))
