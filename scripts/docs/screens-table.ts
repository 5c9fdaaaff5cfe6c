import type { AgentAdapter } from '@agent-mux/core';
import { agentProofs, type ProofRecord } from '@agent-mux/testkit';
import { MARKS } from './capability-status.ts';

export const SCREENS_HEAD: readonly string[] = [
  'agent',
  'begins with a prompt',
  'goes on with a session',
  'model',
  'permissions',
  'seen',
];

/** What the agent's own screen can be told when it is opened, and whether it was seen; undefined: nothing but its command is known. */
export function screenRow({ agent, terminal }: AgentAdapter, proofs: ProofRecord): string[] | undefined {
  if (!terminal) return undefined;
  const { prompt, resume, resumesWithPrompt, model, approvalModes = {} } = terminal;
  const told = agentProofs[agent]?.terminal;
  const isSeen = Object.values(proofs.agents[agent]?.modes ?? {}).some((cases) => cases.terminal === 'passed');
  return [
    `\`${agent}\``,
    prompt ? 'yes' : MARKS.none,
    resume ? (resumesWithPrompt === false ? 'yes, without a prompt' : 'yes') : MARKS.none,
    model ? 'yes' : MARKS.none,
    Object.keys(approvalModes).join(', ') || 'its own',
    isSeen ? MARKS.verified : `${MARKS.documented} ${typeof told === 'string' ? told : ''}`.trim(),
  ];
}
