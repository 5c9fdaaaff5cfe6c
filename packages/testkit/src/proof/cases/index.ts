import type { ProofCase } from '../proof-case.ts';
import { approvalCases } from './approvals.ts';
import { conversationCases } from './conversation.ts';
import { daemonCases } from './daemon/index.ts';
import { definitionCase } from './definition.ts';
import { failureCases } from './failures.ts';
import { hookCases } from './hooks.ts';
import { hooksCase } from './hooks-by-hand.ts';
import { overSshCase } from './over-ssh.ts';
import { promptCases } from './prompts.ts';
import { refusedCase } from './refused.ts';
import { reportingCases } from './reporting.ts';
import { resumeSettingCases } from './resume-settings.ts';
import { sameSequenceCase } from './same-sequence.ts';
import { settingCases } from './settings.ts';
import { steeringCases } from './steering.ts';
import { surroundingCases } from './surroundings.ts';
import { terminalCase } from './terminal.ts';
import { toolCases } from './tools.ts';

export const proofCases: readonly ProofCase[] = [
  ...conversationCases,
  sameSequenceCase,
  ...toolCases,
  ...approvalCases,
  ...resumeSettingCases,
  ...steeringCases,
  ...failureCases,
  ...promptCases,
  ...settingCases,
  ...reportingCases,
  ...surroundingCases,
  ...hookCases,
  definitionCase,
  refusedCase,
  overSshCase,
  hooksCase,
  terminalCase,
  ...daemonCases,
];
