import type { AgentProof } from '../agent-proof.ts';
import { claudeProof } from './claude.ts';
import { codexProof } from './codex.ts';
import { copilotProof } from './copilot.ts';
import { geminiProof } from './gemini.ts';
import { kiloProof } from './kilo.ts';
import { openCodeHttpProof, openCodeProof } from './opencode.ts';
import { piProof } from './pi.ts';
import { qwenProof } from './qwen.ts';

/** Every agent that is proven on its real CLI. */
export const agentProofs: Readonly<Record<string, AgentProof>> = {
  claude: claudeProof,
  codex: codexProof,
  gemini: geminiProof,
  qwen: qwenProof,
  copilot: copilotProof,
  opencode: openCodeProof,
  'opencode-http': openCodeHttpProof,
  kilo: kiloProof,
  pi: piProof,
};
