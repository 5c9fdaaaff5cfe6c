import { defineAdapter, NO_CAPABILITIES, ValidationError } from '@agent-mux/core';
import { CLAUDE_DIALECT } from '../claude/events.ts';
import { claudeAdapter } from '../claude/index.ts';

/** A name, not a task. */
const NAME_CHARS = 200;

const LOGIN = 'Run `claude auth login` with a claude.ai account that has a subscription.';

/**
 * `claude remote-control`: lets a person drive Claude Code on this machine from claude.ai or the app. It takes no
 * prompt and emits no events: a run opens one session under the given name, shows the lines that the bridge prints, and
 * lasts until that session ends. Seen with 2.1.325: without a claude.ai login (an API key is not enough) it refuses
 * with exit code 1. Its output with a login was not tested; its flags are those of its `--help`.
 */
export const claudeRemoteControlAdapter = defineAdapter({
  agent: 'claude-remote-control',
  displayName: 'Claude Code Remote Control',
  cliCommand: 'claude',
  documentedBy: ['claude remote-control --help, of Claude Code 2.1.325'],
  modes: [
    {
      name: 'bridge',
      driver: 'oneshot',
      promptDelivery: 'argv',
      summary: 'a bridge for claude.ai and its app, which alone see the work; the prompt only names the session',
      capabilities: {
        ...NO_CAPABILITIES,
        execModel: 'interactive',
        // The person who drives the session in the app may be asked (nativePermissionMode "default"), the caller of the
        // run never.
        approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
      },
    },
  ],
  installMethods: claudeAdapter.installMethods,
  envAllowList: ['CLAUDE_*'],
  authGuidance: {
    steps: [LOGIN],
    methods: [{ type: 'browser_login', name: 'claude.ai', command: 'claude auth login' }],
  },
  launch(options) {
    const name = options.prompt.trim();
    if (name.length > NAME_CHARS || name.includes('\n')) {
      const problem = `must be a session name (one line, at most ${NAME_CHARS} characters): give the task in the app`;
      throw new ValidationError('run options', [{ field: 'prompt', problem }], { agent: options.agent });
    }
    const mode = options.nativePermissionMode ?? CLAUDE_DIALECT.permissionModes[options.approvalMode] ?? 'default';
    return {
      // One session; when it ends, the bridge ends.
      args: ['remote-control', '--spawn=session', `--name=${name}`, `--permission-mode=${mode}`],
      env: { ...options.env },
    };
  },
  parse(line, { source }) {
    if (/must be logged in to use Remote Control/i.test(line)) {
      return { type: 'auth_error', message: line.replace(/^Error: /, ''), guidance: LOGIN };
    }
    if (line.trim() === '' || source === 'stderr') return null;
    return { type: 'text_delta', delta: `${line}\n` };
  },
});
