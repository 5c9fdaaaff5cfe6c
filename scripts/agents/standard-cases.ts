import { type AgentAdapter, type AgentMode, modesOf } from '@agent-mux/core';
import { type AgentSetup, type Carrier, casesFor, type VerifyCase } from '@agent-mux/testkit';

/**
 * Cases without `--full`: the essential cases in an agent's default mode, the vital ones in other and slow modes.
 * Recording into docs/verifications.json always runs all cases.
 */
export function standardCases(
  adapter: AgentAdapter,
  mode: AgentMode,
  setup: AgentSetup,
  carrier: Carrier,
): VerifyCase[] {
  const isDefault = modesOf(adapter)[0]?.name === mode.name;
  const cases = casesFor(adapter, mode, setup, { ofProject: true, carrier });
  const isSlow = setup.slowModes?.includes(mode.name) === true || (setup.patience ?? 1) > 1;
  if (carrier === 'daemon') return isDefault ? cases.filter((one) => isUsualThroughDaemon(one, isSlow)) : [];
  const vitalOnly = !isDefault || setup.slowModes?.includes(mode.name) === true;
  return cases.filter(({ rank }) => (vitalOnly ? rank === 'vital' : rank !== undefined));
}

/**
 * Cases of `--full`: all cases in process. Through the daemon, the ranked cases in the default mode and the vital ones in
 * other modes, because the remaining cases do not depend on the carrier.
 */
export function fullCases(adapter: AgentAdapter, mode: AgentMode, setup: AgentSetup, carrier: Carrier): VerifyCase[] {
  const isDefault = modesOf(adapter)[0]?.name === mode.name;
  const cases = casesFor(adapter, mode, setup, { ofProject: true, carrier });
  if (carrier === 'process') return cases;
  return cases.filter(({ rank }) => (isDefault ? rank !== undefined : rank === 'vital'));
}

/** Shared cases that depend on the carrier; the others run only in process. */
const SHARED: ReadonlySet<string> = new Set(['prompt-safety', 'abort']);
/** Cases for agents whose processes take many seconds to start. */
const OF_SLOW_AGENTS: ReadonlySet<string> = new Set(['second-turn', 'park-send', 'two-sessions', 'nothing-left']);

function isUsualThroughDaemon({ id, rank, carrier }: VerifyCase, isSlow: boolean): boolean {
  if (isSlow) return OF_SLOW_AGENTS.has(id);
  return rank === 'vital' && (carrier === 'daemon' || SHARED.has(id));
}
