import { createRandom, type Random } from './random.ts';
import {
  type FaultInjection,
  KILL_KINDS,
  type KillKind,
  type MessagePlan,
  MOMENTS,
  type RoundPlan,
  type SessionPlan,
  type Victim,
} from './round-plan.ts';

export interface RoundChoice {
  seed: number;
  /** Of agents that are costly to start, one takes part in a round. The planner of all rounds chooses it. */
  costly?: string;
  /** Of these, several take part. */
  cheap: readonly string[];
  kind?: KillKind;
}

const CHEAP_SESSIONS = { low: 2, high: 3 };
const MESSAGES = { low: 2, high: 3 };
/** A killed daemon may be killed again, even while it finds its keepers. */
const MAX_STRIKES = 3;

/** A session that loses its keeper right after its creation cannot be restored: some of these are enough. */
const LATER_MOMENTS = [
  'created',
  ...Array.from({ length: 3 }, () => ['streaming', 'asking', 'turn-end'] as const).flat(),
] as const;

/** The same seed gives the same plan. */
export function planRound({ seed, costly, cheap, kind: wanted }: RoundChoice): RoundPlan {
  const random = createRandom(seed);
  const kind = wanted ?? random.pick(KILL_KINDS);
  const count = cheap.length === 0 ? 0 : random.between(CHEAP_SESSIONS.low, CHEAP_SESSIONS.high);
  const agents = [
    ...(costly === undefined ? [] : [costly]),
    ...Array.from({ length: count }, (_, at) => cheap[at % cheap.length]!),
  ];
  const sessions = agents.map((agent, at) => planSession(random, `s${at}`, agent));
  return { seed, kind, sessions, strikes: planStrikes(random, kind, sessions) };
}

function planSession(random: Random, name: string, agent: string): SessionPlan {
  const count = random.between(MESSAGES.low, MESSAGES.high);
  const asks = random.between(0, count - 1);
  return {
    name,
    agent,
    messages: Array.from({ length: count }, (_, at) => planMessage(random, markerOf(name, at), at === asks)),
  };
}

function planMessage(random: Random, id: string, asks: boolean): MessagePlan {
  const decision = random.chance(0.6) ? 'allow' : 'deny';
  return { id, does: asks ? 'ask' : 'speak', decision, pieces: random.between(8, 24), delayMs: random.between(20, 80) };
}

/** Identifies a message: no other text in a conversation looks like it. */
export function markerOf(session: string, index: number | string): string {
  return `chaos-${session}-m${index}`;
}

export const MARKER = /chaos-s\d+-m\w+/g;

function planStrikes(random: Random, kind: KillKind, sessions: readonly SessionPlan[]): FaultInjection[] {
  const names = sessions.map(({ name }) => name);
  const times = kind === 'daemon' ? random.between(1, MAX_STRIKES) : 1;
  return Array.from({ length: times }, (_, at) => {
    // The first session is the costly one, which is the subject of the round.
    const session = random.chance(0.6) ? names[0]! : random.pick(names);
    const when =
      at === 0
        ? random.pick(kind === 'daemon' ? MOMENTS : LATER_MOMENTS)
        : random.pick(['created', 'streaming'] as const);
    return {
      at: { session, when, count: random.between(1, 12) * (at + 1), jitterMs: random.between(0, 250) },
      victims: victimsOf(random, kind, session, names),
      downMs: random.chance(0.5) ? 0 : random.between(50, 1500),
      back: random.chance(0.7) ? 'itself' : 'needed',
    };
  });
}

function victimsOf(random: Random, kind: KillKind, session: string, names: readonly string[]): Victim[] {
  switch (kind) {
    case 'daemon':
      return [{ type: 'daemon' }];
    case 'keeper':
    case 'agent':
      return [{ type: kind, session }];
    case 'several': {
      const others = random.shuffle(names.filter((name) => name !== session)).slice(0, 1);
      const among = [session, ...others].map(
        (name): Victim => ({ type: random.pick(['keeper', 'agent'] as const), session: name }),
      );
      return random.chance(0.5) ? random.shuffle([{ type: 'daemon' }, ...among]) : among;
    }
    case 'all':
      return random.shuffle([
        { type: 'daemon' },
        ...names.flatMap((name): Victim[] => [
          { type: 'keeper', session: name },
          { type: 'agent', session: name },
        ]),
      ]);
  }
}

/** Kinds and costly agents in turn, so that a few rounds have every kind, and more of them every pair. */
export function chooseRounds(options: {
  rounds: number;
  seed: number;
  costly: readonly string[];
  cheap: readonly string[];
  kind?: KillKind;
}): RoundChoice[] {
  const { rounds, seed, costly, cheap } = options;
  return Array.from({ length: rounds }, (_, at) => {
    const lap = Math.floor(at / KILL_KINDS.length);
    const agent = costly.length === 0 ? undefined : costly[(at + lap) % costly.length];
    const kind = options.kind ?? KILL_KINDS[at % KILL_KINDS.length]!;
    return { seed: seed + at, cheap, kind, ...(agent === undefined ? {} : { costly: agent }) };
  });
}
