import type { VerifyCase } from '../verify-case.ts';
import { approvalCases } from './approvals.ts';
import { conversationCases } from './conversation.ts';
import { daemonCases } from './daemon/index.ts';
import { definitionCase } from './definition.ts';
import { environmentCases } from './environment.ts';
import { failureCases } from './failures.ts';
import { hookCases } from './hooks.ts';
import { hooksCase } from './hooks-unmanaged.ts';
import { overSshCase } from './over-ssh.ts';
import { promptCases } from './prompts.ts';
import { refusedCase } from './refused.ts';
import { reportingCases } from './reporting.ts';
import { resumeSettingCases } from './resume-settings.ts';
import { sameSequenceCase } from './same-sequence.ts';
import { settingCases } from './settings.ts';
import { steeringCases } from './steering.ts';
import { terminalCase } from './terminal.ts';
import { toolCases } from './tools.ts';

export const verifyCases: readonly VerifyCase[] = [
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
  ...environmentCases,
  ...hookCases,
  definitionCase,
  refusedCase,
  overSshCase,
  hooksCase,
  terminalCase,
  ...daemonCases,
];
