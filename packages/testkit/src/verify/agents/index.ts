import type { AgentSetup } from '../agent-setup.ts';
import { claudeSetup } from './claude.ts';
import { clineSetup } from './cline.ts';
import { codexSetup } from './codex.ts';
import { continueSetup } from './continue.ts';
import { copilotSetup } from './copilot.ts';
import { droidSetup } from './droid.ts';
import { geminiSetup } from './gemini.ts';
import { gooseSetup } from './goose.ts';
import { grokSetup } from './grok.ts';
import { kiloSetup } from './kilo.ts';
import { kimiSetup } from './kimi.ts';
import { ompSetup } from './omp.ts';
import { openClawSetup } from './openclaw.ts';
import { openCodeHttpSetup, openCodeSetup } from './opencode.ts';
import { piSetup } from './pi.ts';
import { qwenSetup } from './qwen.ts';

/** Every agent that is verified with its real CLI. */
export const agentSetups: Readonly<Record<string, AgentSetup>> = {
  claude: claudeSetup,
  cline: clineSetup,
  codex: codexSetup,
  gemini: geminiSetup,
  qwen: qwenSetup,
  continue: continueSetup,
  copilot: copilotSetup,
  openclaw: openClawSetup,
  opencode: openCodeSetup,
  'opencode-http': openCodeHttpSetup,
  goose: gooseSetup,
  grok: grokSetup,
  kilo: kiloSetup,
  kimi: kimiSetup,
  omp: ompSetup,
  pi: piSetup,
  droid: droidSetup,
};
