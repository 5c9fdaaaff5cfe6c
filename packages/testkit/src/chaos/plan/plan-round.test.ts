import { describe, expect, it } from 'vitest';
import { chooseRounds, markerOf, planRound } from './plan-round.ts';
import { createRandom } from './random.ts';
import { KILL_KINDS } from './round-plan.ts';

const cheap = ['scripted', 'demo'];

describe('round plan', () => {
  it('is determined by its seed', () => {
    const choice = { seed: 7, costly: 'claude', cheap };
    expect(planRound(choice)).toEqual(planRound(choice));
    expect(planRound({ ...choice, seed: 8 })).not.toEqual(planRound(choice));
  });

  it('gives every message a unique id, and every session one command that needs approval', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const { sessions } = planRound({ seed, costly: 'codex', cheap });
      const ids = sessions.flatMap(({ messages }) => messages.map(({ id }) => id));
      expect(new Set(ids).size).toBe(ids.length);
      expect(sessions[0]?.agent).toBe('codex');
      for (const { messages } of sessions) expect(messages.filter(({ does }) => does === 'ask')).toHaveLength(1);
    }
  });

  it.each(KILL_KINDS)('kills the processes of its kind: %s', (kind) => {
    for (let seed = 0; seed < 50; seed += 1) {
      const { sessions, strikes } = planRound({ seed, cheap, kind });
      const victims = strikes.flatMap((strike) => strike.victims);
      const types = new Set(victims.map(({ type }) => type));
      if (kind === 'several') expect(victims.length).toBeGreaterThan(1);
      else if (kind === 'all') expect(victims).toHaveLength(1 + 2 * sessions.length);
      else expect([...types]).toEqual([kind]);
    }
  });
});

describe('rounds of a run', () => {
  it('cover every kind, and eventually every pair of kind and costly agent', () => {
    const costly = ['a', 'b', 'c', 'd', 'e'];
    const rounds = chooseRounds({ rounds: 25, seed: 1, costly, cheap });
    expect(new Set(rounds.map(({ kind, costly: agent }) => `${kind} ${agent}`)).size).toBe(25);
    expect(new Set(rounds.map(({ seed }) => seed)).size).toBe(25);
  });

  it('work without costly agents', () => {
    const [round] = chooseRounds({ rounds: 1, seed: 1, costly: [], cheap });
    expect(round).toEqual({ seed: 1, kind: 'daemon', cheap });
  });
});

it('spread the numbers of a seed over their range, both ends included', () => {
  const random = createRandom(3);
  const drawn = Array.from({ length: 1000 }, () => random.between(1, 4));
  expect([...new Set(drawn)].sort()).toEqual([1, 2, 3, 4]);
  expect(random.shuffle([1, 2, 3, 4, 5]).sort()).toEqual([1, 2, 3, 4, 5]);
  expect(() => random.pick([])).toThrow(/nothing/);
});

it('have no marker that is the prefix of another', () => {
  expect(markerOf('s1', 1)).toBe('chaos-s1-m1');
  expect('chaos-s1-m10 chaos-s1-mlast'.match(/chaos-s\d+-m\w+/g)).toEqual(['chaos-s1-m10', 'chaos-s1-mlast']);
});
