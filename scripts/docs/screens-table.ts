import type { AgentAdapter } from '@agent-mux/core';
import { agentSetups, type VerificationRecord } from '@agent-mux/testkit';
import { MARKS } from './capability-status.ts';

export const SCREENS_HEAD: readonly string[] = [
  'Agent',
  'Starts with a prompt',
  'Resumes a session',
  'Model',
  'Permissions',
  'Verified',
];

/** Options that the agent's terminal UI supports, and whether that is verified; undefined: only its command is known. */
export function screenRow({ agent, terminal }: AgentAdapter, verifications: VerificationRecord): string[] | undefined {
  if (!terminal) return undefined;
  const { prompt, resume, resumesWithPrompt, model, approvalModes = {} } = terminal;
  const reason = agentSetups[agent]?.terminal;
  const isVerified = Object.values(verifications.agents[agent]?.modes ?? {}).some(
    (cases) => cases.terminal === 'passed',
  );
  return [
    `\`${agent}\``,
    prompt ? 'yes' : MARKS.none,
    resume ? (resumesWithPrompt === false ? 'yes, without a prompt' : 'yes') : MARKS.none,
    model ? 'yes' : MARKS.none,
    Object.keys(approvalModes).join(', ') || 'its own',
    isVerified ? MARKS.verified : `${MARKS.documented} ${typeof reason === 'string' ? reason : ''}`.trim(),
  ];
}
