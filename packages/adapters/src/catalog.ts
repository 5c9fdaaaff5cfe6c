import { createRequire } from 'node:module';
import { type AdapterManifest, type AgentAdapter, AgentMuxError, isRecord } from '@agent-mux/core';
import { VERIFIED_RELEASES } from './verified-releases.ts';

/**
 * The built-in agents by name: the facts that are needed for all of them before any is loaded. The adapters declare
 * them too, but reading those would load them; catalog.test.ts keeps the two equal.
 */
const ROWS: readonly Omit<AdapterManifest, 'load' | 'isChecked'>[] = [
  { agent: 'agent-mux-remote', displayName: 'Remote agent-mux', cliCommand: 'amux', modes: ['run'] },
  { agent: 'agy', displayName: 'Antigravity CLI', cliCommand: 'agy', modes: ['print'] },
  { agent: 'aider', displayName: 'Aider', cliCommand: 'aider', modes: ['message'] },
  { agent: 'amp', displayName: 'Amp', cliCommand: 'amp', modes: ['execute'] },
  { agent: 'auggie', displayName: 'Auggie', cliCommand: 'auggie', modes: ['acp'] },
  { agent: 'autohand', displayName: 'Autohand Code', cliCommand: 'autohand', modes: ['acp'] },
  {
    agent: 'claude',
    displayName: 'Claude Code',
    cliCommand: 'claude',
    minVersion: VERIFIED_RELEASES.claude[0],
    modes: ['live', 'oneshot'],
    hostEnvSignals: [
      'CLAUDECODE',
      'CLAUDE_CODE_SESSION_ID',
      'CLAUDE_CODE_CHILD_SESSION',
      'CLAUDE_CODE_ENTRYPOINT',
      'CLAUDE_CODE_EXECPATH',
      'CLAUDE_CODE_SESSION_ATTENDED',
      'CLAUDE_CODE_MESSAGING_SOCKET',
      'CLAUDE_CODE_MESSAGING_TOKEN',
      'CLAUDE_EFFORT',
      'CLAUDE_PID',
    ],
  },
  {
    agent: 'claude-remote-control',
    displayName: 'Claude Code Remote Control',
    cliCommand: 'claude',
    modes: ['bridge'],
  },
  {
    agent: 'cline',
    displayName: 'Cline',
    cliCommand: 'cline',
    minVersion: VERIFIED_RELEASES.cline[0],
    modes: ['json'],
    hostEnvSignals: ['CLINE_CONNECTOR_CLI_LAUNCH'],
  },
  {
    agent: 'codex',
    displayName: 'Codex',
    cliCommand: 'codex',
    minVersion: VERIFIED_RELEASES.codex[0],
    modes: ['app-server', 'exec'],
    hostEnvSignals: [
      'CODEX_THREAD_ID',
      'CODEX_SESSION_ID',
      'CODEX_TOOL_CALL_ID',
      'CODEX_CI',
      'CODEX_VERSION',
      'CODEX_MANAGED_BY_NPM',
      'CODEX_MANAGED_PACKAGE_ROOT',
      'CODEX_PERMISSION_PROFILE',
      'CODEX_SANDBOX_NETWORK_DISABLED',
    ],
  },
  {
    agent: 'continue',
    displayName: 'Continue CLI',
    cliCommand: 'cn',
    minVersion: VERIFIED_RELEASES.continue[0],
    modes: ['print'],
  },
  {
    agent: 'copilot',
    displayName: 'GitHub Copilot CLI',
    cliCommand: 'copilot',
    minVersion: VERIFIED_RELEASES.copilot[0],
    modes: ['acp', 'json'],
    hostEnvSignals: ['COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID', 'COPILOT_CLI_BINARY_VERSION'],
  },
  { agent: 'crush', displayName: 'Crush', cliCommand: 'crush', modes: ['run'], hostEnvSignals: ['CRUSH'] },
  { agent: 'cursor', displayName: 'Cursor CLI', cliCommand: 'cursor-agent', modes: ['acp', 'stream-json'] },
  { agent: 'demo', displayName: 'Demo agent', cliCommand: process.execPath, modes: ['live'] },
  { agent: 'devin', displayName: 'Devin CLI', cliCommand: 'devin', modes: ['acp', 'print'] },
  {
    agent: 'droid',
    displayName: 'Droid',
    cliCommand: 'droid',
    minVersion: VERIFIED_RELEASES.droid[0],
    modes: ['stream-jsonrpc', 'exec'],
    hostEnvSignals: ['FACTORY_EXEC_TARGET_AUTONOMY', 'FACTORY_DISABLE_SETTINGS_PERSISTENCE'],
  },
  {
    agent: 'gemini',
    displayName: 'Gemini CLI',
    cliCommand: 'gemini',
    minVersion: VERIFIED_RELEASES.gemini[0],
    modes: ['acp', 'stream-json'],
    hostEnvSignals: ['GEMINI_CLI', 'GEMINI_SESSION_ID', 'GEMINI_PROJECT_DIR', 'GEMINI_CWD'],
  },
  {
    agent: 'goose',
    displayName: 'goose',
    cliCommand: 'goose',
    minVersion: VERIFIED_RELEASES.goose[0],
    modes: ['acp', 'run'],
  },
  {
    agent: 'grok',
    displayName: 'Grok Build',
    cliCommand: 'grok',
    minVersion: VERIFIED_RELEASES.grok[0],
    modes: ['acp', 'messages'],
    hostEnvSignals: ['GROK_AGENT', 'GROK_SESSION_ID'],
  },
  { agent: 'hermes', displayName: 'Hermes Agent', cliCommand: 'hermes', modes: ['acp'] },
  {
    agent: 'kilo',
    displayName: 'Kilo Code',
    cliCommand: 'kilo',
    minVersion: VERIFIED_RELEASES.kilo[0],
    modes: ['serve', 'run'],
    hostEnvSignals: ['KILO', 'KILO_PID', 'KILO_RUN_ID', 'KILO_PROCESS_ROLE', 'KILOCODE_VERSION', 'KILOCODE_FEATURE'],
  },
  {
    agent: 'kimi',
    displayName: 'Kimi Code',
    cliCommand: 'kimi',
    minVersion: VERIFIED_RELEASES.kimi[0],
    modes: ['acp'],
  },
  {
    agent: 'kiro',
    displayName: 'Kiro CLI',
    cliCommand: 'kiro-cli',
    modes: ['acp', 'chat'],
    hostEnvSignals: ['KIRO_SESSION_ID'],
  },
  {
    agent: 'omp',
    displayName: 'oh-my-pi',
    cliCommand: 'omp',
    minVersion: VERIFIED_RELEASES.omp[0],
    modes: ['rpc', 'json'],
    hostEnvSignals: ['OMPCODE', 'CLAUDECODE'],
  },
  {
    agent: 'openclaw',
    displayName: 'OpenClaw',
    cliCommand: 'openclaw',
    minVersion: VERIFIED_RELEASES.openclaw[0],
    modes: ['acp', 'exec'],
    hostEnvSignals: ['OPENCLAW_SHELL', 'OPENCLAW_CLI'],
  },
  {
    agent: 'opencode',
    displayName: 'OpenCode',
    cliCommand: 'opencode',
    minVersion: VERIFIED_RELEASES.opencode[0],
    modes: ['serve', 'run'],
    hostEnvSignals: ['OPENCODE', 'OPENCODE_PID'],
  },
  { agent: 'opencode-http', displayName: 'OpenCode (HTTP)', cliCommand: 'opencode', modes: ['http'] },
  {
    agent: 'pi',
    displayName: 'pi',
    cliCommand: 'pi',
    minVersion: VERIFIED_RELEASES.pi[0],
    modes: ['rpc', 'json'],
    hostEnvSignals: [
      'PI_CODING_AGENT',
      'PI_SESSION_ID',
      'PI_SESSION_FILE',
      'PI_PROVIDER',
      'PI_MODEL',
      'PI_REASONING_LEVEL',
    ],
  },
  {
    agent: 'qwen',
    displayName: 'Qwen Code',
    cliCommand: 'qwen',
    minVersion: VERIFIED_RELEASES.qwen[0],
    modes: ['live', 'oneshot'],
    hostEnvSignals: [
      'QWEN_CODE',
      'QWEN_CODE_SESSION_ID',
      'QWEN_CODE_MODEL',
      'QWEN_CODE_PROMPT_ID',
      'QWEN_CODE_CLI',
      'QWEN_CODE_PROJECT_DIR',
      'QWEN_CODE_AGENT_ID',
      'QWEN_CODE_LAUNCHER_PID',
      'QWEN_CODE_MANAGED_NPM_PIN',
    ],
  },
  { agent: 'roo', displayName: 'Roo Code CLI', cliCommand: 'roo', modes: ['print'] },
  { agent: 'vibe', displayName: 'Mistral Vibe', cliCommand: 'vibe', modes: ['acp', 'programmatic'] },
];

const require = createRequire(import.meta.url);

/** Each adapter is loaded synchronously when first used: folders are named after their agents. */
export const BUILT_IN_MANIFESTS: readonly AdapterManifest[] = ROWS.map((row) => ({
  ...row,
  load: () => loadAdapter(row.agent),
  // Checked by catalog.test.ts.
  isChecked: true,
}));

export function builtInAdapters(): AgentAdapter[] {
  return BUILT_IN_MANIFESTS.map(({ load }) => load());
}

let together: Record<string, unknown> | undefined;

/** For callers that query every agent: one bundled file loads much faster than one file per agent. */
export function preloadAdapters(): void {
  together ??= require('#all-agents');
}

function loadAdapter(agent: string): AgentAdapter {
  const exported: Record<string, unknown> = together ?? require(`#agents/${agent}`);
  const adapter = Object.values(exported).find((value) => isAdapterOf(value, agent));
  if (adapter) return adapter as AgentAdapter;
  throw new AgentMuxError('INTERNAL_ERROR', `the module of agent "${agent}" has no adapter`, { agent });
}

function isAdapterOf(value: unknown, agent: string): boolean {
  return isRecord(value) && value.agent === agent && typeof value.buildSpawnArgs === 'function';
}
