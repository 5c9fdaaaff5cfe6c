import type { AgentProof } from '../agent-proof.ts';
import { claudeProof } from './claude.ts';
import { clineProof } from './cline.ts';
import { codexProof } from './codex.ts';
import { continueProof } from './continue.ts';
import { copilotProof } from './copilot.ts';
import { droidProof } from './droid.ts';
import { geminiProof } from './gemini.ts';
import { gooseProof } from './goose.ts';
import { grokProof } from './grok.ts';
import { kiloProof } from './kilo.ts';
import { kimiProof } from './kimi.ts';
import { ompProof } from './omp.ts';
import { openClawProof } from './openclaw.ts';
import { openCodeHttpProof, openCodeProof } from './opencode.ts';
import { piProof } from './pi.ts';
import { qwenProof } from './qwen.ts';

/** Every agent that is proven on its real CLI. */
export const agentProofs: Readonly<Record<string, AgentProof>> = {
  claude: claudeProof,
  cline: clineProof,
  codex: codexProof,
  gemini: geminiProof,
  qwen: qwenProof,
  continue: continueProof,
  copilot: copilotProof,
  openclaw: openClawProof,
  opencode: openCodeProof,
  'opencode-http': openCodeHttpProof,
  goose: gooseProof,
  grok: grokProof,
  kilo: kiloProof,
  kimi: kimiProof,
  omp: ompProof,
  pi: piProof,
  droid: droidProof,
};
