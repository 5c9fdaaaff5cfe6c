/** What stands between a person and the agent: a turn through the daemon beside one that is read by hand. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../measure.ts';
import type { Row } from '../row.ts';
import { type MeasuredAgent, prepareAgent } from './agents.ts';
import { cpuOf, startBuiltDaemon } from './built-daemon.ts';
import { type Talk, type Turn, talkByHand, talkThroughDaemon } from './talk.ts';

const WARM_UP = 3;
const GREETINGS = 25;
const LONG_ANSWERS = 9;
const DELTAS = 2000;

export async function turnRows(scratch: string): Promise<Row[]> {
  const home = join(scratch, 'home');
  const cwd = join(scratch, 'work');
  mkdirSync(cwd);
  const agent = await prepareAgent(home);
  const daemon = await startBuiltDaemon(home, agent.env);
  const bare = talkByHand(agent, cwd);
  try {
    const ours = await talkThroughDaemon(daemon, agent, cwd);
    const spent = () => cpuOf(daemon.pid) + cpuOf(ours.keeperPid);
    const rows = await compare(agent, { bare, ours, spent });
    await ours.close();
    return rows;
  } finally {
    await bare.close();
    await daemon.stop();
    await agent.close();
  }
}

interface Compared {
  bare: Talk;
  ours: Talk;
  /** Milliseconds of the processor, of daemon and keeper. */
  spent(): number;
}

async function compare({ agent, greeting, longAnswer }: MeasuredAgent, compared: Compared): Promise<Row[]> {
  const short = await inTurns(compared, greeting, GREETINGS);
  const long = await inTurns(compared, longAnswer(DELTAS), LONG_ANSWERS);
  for (const { deltas } of [...long.bares, ...long.ours])
    if (deltas !== DELTAS) throw new Error(`${deltas} deltas of ${DELTAS}`);
  return [
    rowOf(`first delta of ${agent} through the daemon`, 1.05, 'first', short),
    rowOf(`${DELTAS.toLocaleString('en')} deltas of ${agent} through the daemon`, 1.1, 'all', long),
  ];
}

interface Measured {
  bares: Turn[];
  ours: Turn[];
  /** Of one turn. */
  cpuMs: number;
}

/** One after the other, each of them first in every other round. */
async function inTurns({ bare, ours, spent }: Compared, prompt: string, rounds: number): Promise<Measured> {
  const measured: Measured = { bares: [], ours: [], cpuMs: 0 };
  let before = spent();
  for (let round = -WARM_UP; round < rounds; round += 1) {
    if (round === 0) before = spent();
    for (const isBare of round % 2 === 0 ? [true, false] : [false, true]) {
      const turn = await (isBare ? bare : ours).turn(prompt);
      if (round >= 0) measured[isBare ? 'bares' : 'ours'].push(turn);
    }
  }
  measured.cpuMs = (spent() - before) / rounds;
  return measured;
}

function rowOf(name: string, target: number, part: 'first' | 'all', { bares, ours, cpuMs }: Measured): Row {
  const [bare, own] = [bares, ours].map((turns) => median(turns.map((turn) => turn[part])));
  const detail = `${ms(bare)} by hand, ${ms(own)}; ${ms(cpuMs)} of processor in daemon and keeper`;
  return { name, value: (own ?? 0) / (bare ?? 0), unit: 'x', target, detail };
}

function ms(time = Number.NaN): string {
  return `${time.toFixed(1)} ms`;
}
