import { type AgentCapabilities, defineAdapter, NO_CAPABILITIES, THINKING_EFFORTS } from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { AUTH_CHECKS, AUTH_GUIDANCE } from './auth.ts';
import { CONFIG_SCHEMA } from './config.ts';
import { COPILOT_ACP } from './dialect.ts';
import { parseCopilotLine } from './events.ts';
import { HOOKS } from './hooks.ts';
import { launchCopilot } from './launch.ts';
import { MODEL_QUERY, MODELS } from './models.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { SESSION_STORE } from './sessions.ts';
import { TERMINAL } from './terminal.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

const COMMON: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsPlugins: true,
  canResume: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  resumeAttach: true,
  supportsMultiTurn: true,
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  supportsThinking: true,
  supportsThinkingStreaming: true,
  supportsModelSelection: true,
  systemPrompt: { append: 'prefix' },
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsMCP: true,
  supportsSkills: true,
  supportsInterrupt: true,
};

/** GitHub's Copilot CLI; not the retired `gh` extension. */
export const copilotAdapter = defineAdapter({
  agent: 'copilot',
  displayName: 'GitHub Copilot CLI',
  cliCommand: 'copilot',
  verifiedVersions: VERIFIED_RELEASES.copilot,
  minVersion: VERIFIED_RELEASES.copilot[0],
  modes: [
    {
      name: 'acp',
      driver: 'acp',
      summary: 'one process, many turns, over the Agent Client Protocol',
      // Its flags for tools, folders and effort have no effect here; the one for plugins does (1.0.102).
      capabilities: {
        ...COMMON,
        execModel: 'interactive',
        supportsImageInput: true,
        approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
        reportsUsage: true,
      },
      live: { transport: 'stdio', codec: acpCodec(COPILOT_ACP), waitForSession: true },
    },
    {
      name: 'json',
      driver: 'oneshot',
      outputFormat: 'jsonl',
      summary: 'a process per turn, the prompt on stdin; no approvals, no token counts',
      capabilities: {
        ...COMMON,
        thinkingEfforts: THINKING_EFFORTS,
        supportsToolInputStreaming: true,
        supportsAllowedTools: true,
        supportsDeniedTools: true,
        supportsAddDirs: true,
        approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
        reportsRateLimits: true,
      },
    },
  ],
  toolKinds: TOOL_KINDS,
  terminal: TERMINAL,
  models: MODELS,
  modelQuery: MODEL_QUERY,
  installMethods: [
    { type: 'npm', platforms: 'all', command: 'npm install -g @github/copilot' },
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command: 'curl -fsSL https://gh.io/copilot-install | bash',
      update: 'copilot update',
    },
    { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install copilot-cli' },
    { type: 'winget', platforms: ['win32'], command: 'winget install --id GitHub.Copilot' },
  ],
  envAllowList: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST'],
  hostEnvSignals: ['COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID', 'COPILOT_CLI_BINARY_VERSION'],
  authChecks: AUTH_CHECKS,
  authGuidance: AUTH_GUIDANCE,
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  plugins: PLUGINS,
  hooks: HOOKS,
  extensionFolders: EXTENSION_FOLDERS,
  launch: launchCopilot,
  parse(line, context) {
    const events = parseCopilotLine(line, context);
    if (events?.some(({ type }) => type === 'auth_error' || type === 'error' || type === 'context_exceeded'))
      context.adapterState.failed = true;
    return events;
  },
});
