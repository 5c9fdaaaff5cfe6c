import type { AgentAdapter, AgentMode } from '../../contract/adapter.ts';
import type { AgentCapabilities } from '../../contract/capabilities.ts';
import { CapabilityError } from '../../contract/errors.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { isImage } from './mime.ts';

interface Rule {
  option: keyof ResolvedRunOptions;
  isSet: (options: ResolvedRunOptions) => boolean;
  granted: (capabilities: AgentCapabilities, options: ResolvedRunOptions) => boolean;
  refusal: (capabilities: AgentCapabilities, options: ResolvedRunOptions) => string;
}

const some = (list: readonly unknown[] | undefined) => (list?.length ?? 0) > 0;

/** The capability that each option needs. An option without a row is handled by the engine and always works. */
const RULES: readonly Rule[] = [
  need(
    'sessionId',
    (o) => o.sessionId !== undefined,
    (c) => c.canResume,
    'cannot resume a session',
  ),
  need(
    'forkSessionId',
    (o) => o.forkSessionId !== undefined,
    (c) => c.canFork,
    'cannot fork a session',
  ),
  need(
    'noSession',
    (o) => o.noSession === true,
    (c) => c.canRunWithoutSession,
    'always keeps a session',
  ),
  need(
    'model',
    (o) => o.model !== undefined,
    (c) => c.supportsModelSelection,
    'takes no model',
  ),
  {
    option: 'thinkingEffort',
    isSet: (o) => o.thinkingEffort !== undefined,
    granted: (c, o) => c.thinkingEfforts.includes(o.thinkingEffort!),
    refusal: (c) =>
      some(c.thinkingEfforts)
        ? `knows the efforts ${c.thinkingEfforts.join(', ')}`
        : 'has no setting for thinking effort',
  },
  need(
    'thinkingBudgetTokens',
    (o) => o.thinkingBudgetTokens !== undefined,
    (c) => c.supportsThinkingBudgetTokens,
    'takes no thinking budget in tokens',
  ),
  need(
    'thinkingOverride',
    (o) => o.thinkingOverride !== undefined,
    (c) => c.supportsThinkingOverride,
    'takes no native thinking settings',
  ),
  {
    option: 'systemPromptMode',
    isSet: (o) => o.systemPrompt !== undefined,
    granted: (c, o) => c.systemPrompt[o.systemPromptMode] !== undefined,
    refusal: (c, o) => {
      const modes = Object.keys(c.systemPrompt);
      return `cannot ${o.systemPromptMode} a system prompt${some(modes) ? `; it can: ${modes.join(', ')}` : ''}`;
    },
  },
  need(
    'maxTurns',
    (o) => o.maxTurns !== undefined,
    (c) => c.supportsMaxTurns,
    'has no turn limit',
  ),
  {
    option: 'approvalMode',
    isSet: (o) => o.nativePermissionMode === undefined,
    granted: (c, o) => c.approvalModes.includes(o.approvalMode),
    refusal: (c, o) =>
      o.approvalMode === 'prompt'
        ? `cannot ask for approval; it can run with approvalMode ${c.approvalModes.join(', ')}`
        : `cannot run with approvalMode "${o.approvalMode}"; it can: ${c.approvalModes.join(', ')}`,
  },
  need(
    'allowedTools',
    (o) => some(o.allowedTools),
    (c) => c.supportsAllowedTools,
    'has no list of allowed tools',
  ),
  need(
    'deniedTools',
    (o) => some(o.deniedTools),
    (c) => c.supportsDeniedTools,
    'has no list of denied tools',
  ),
  need(
    'mcpServers',
    (o) => Object.keys(o.mcpServers ?? {}).length > 0,
    (c) => c.supportsMCP,
    'takes no MCP servers',
  ),
  need(
    'skills',
    (o) => some(o.skills),
    (c) => c.supportsSkills,
    'takes no skills',
  ),
  need(
    'addDirs',
    (o) => some(o.addDirs),
    (c) => c.supportsAddDirs,
    'takes no additional folders',
  ),
  need(
    'attachments',
    (o) => o.attachments.some((a) => isImage(a.mimeType)),
    (c) => c.supportsImageInput || c.supportsFileAttachments,
    'takes no images',
  ),
  need(
    'attachments',
    (o) => o.attachments.some((a) => !isImage(a.mimeType)),
    (c) => c.supportsFileAttachments,
    'takes no files (images excepted, where it takes those)',
  ),
  need(
    'outputSchema',
    (o) => o.outputSchema !== undefined,
    (c) => c.supportsStructuredOutput,
    'has no structured output',
  ),
  need(
    'interactive',
    (o) => o.interactive === true,
    (c) => c.supportsMultiTurn,
    'takes one turn only',
  ),
];

/**
 * Throws a CapabilityError for the first option that this agent does not support in this mode. No process has been
 * started. With `only`, no other option is checked.
 */
export function gateOptions(
  adapter: AgentAdapter,
  mode: AgentMode,
  options: ResolvedRunOptions,
  only?: keyof ResolvedRunOptions,
): void {
  const { capabilities } = mode;
  const platform = capabilities.supportedPlatforms as readonly string[];
  if (options.invocation.mode === 'local' && !platform.includes(process.platform)) {
    throw new CapabilityError(adapter.agent, 'agent', `${adapter.displayName} does not run on ${process.platform}`);
  }
  if (options.invocation.mode !== 'local') gateRemote(adapter, mode, options);
  if (options.hooks) gateHooks(adapter, options);
  for (const rule of RULES) {
    if (only !== undefined && rule.option !== only) continue;
    if (!rule.isSet(options) || rule.granted(capabilities, options)) continue;
    const others = otherModes(adapter, mode, rule, options);
    const where = modesOf(adapter).length > 1 ? ` in mode "${mode.name}"` : '';
    const hint = some(others) ? `mode ${others.map((m) => `"${m}"`).join(' or ')} can` : undefined;
    throw new CapabilityError(
      adapter.agent,
      rule.option,
      `${adapter.displayName}${where} ${rule.refusal(capabilities, options)} (option ${rule.option})${hint ? `; ${hint}` : ''}`,
      hint,
    );
  }
}

/** Refuses what a remote agent cannot reach on this machine: a port, and files of which only the path arrives. */
function gateRemote(adapter: AgentAdapter, mode: AgentMode, options: ResolvedRunOptions): void {
  const { displayName, agent } = adapter;
  const { invocation, attachments, skills } = options;
  if (mode.driver === 'http') {
    const others = modesOf(adapter).filter(({ driver }) => driver !== 'http');
    throw new CapabilityError(
      agent,
      'invocation',
      `${displayName} in mode "${mode.name}" needs a port, which ${invocation.mode} does not forward (option invocation)`,
      others.length > 0 ? `mode ${others.map(({ name }) => `"${name}"`).join(' or ')} can` : undefined,
    );
  }
  // Images are sent within the conversation; a container sees the folder that is mounted.
  const byPath = attachments.some(({ mimeType }) => mode.driver === 'oneshot' || !isImage(mimeType));
  const option = byPath ? 'attachments' : some(skills) ? 'skills' : undefined;
  if (option === undefined || invocation.mode === 'docker') return;
  throw new CapabilityError(
    agent,
    option,
    `${displayName} would get only the path of a file on this machine, which it cannot see over ${invocation.mode} (option ${option})`,
  );
}

/** Hooks call `amux`, which a remote host may lack, and which would report to another daemon. */
function gateHooks({ agent, displayName, hooks }: AgentAdapter, { invocation }: ResolvedRunOptions): void {
  if (invocation.mode !== 'local')
    throw new CapabilityError(
      agent,
      'hooks',
      `hooks work on this machine only, not over ${invocation.mode} (option hooks)`,
    );
  if (hooks?.forRun) return;
  const hint = hooks ? `run "amux hooks install ${agent}" to install them in the workspace` : undefined;
  throw new CapabilityError(
    agent,
    'hooks',
    `${displayName} does not support hooks for a single run (option hooks)`,
    hint,
  );
}

/** An adapter without modes has one: a process per turn. */
export function modesOf(adapter: AgentAdapter): readonly AgentMode[] {
  return (
    adapter.modes ?? [
      { name: 'oneshot', driver: 'oneshot', summary: 'a process per turn', capabilities: adapter.capabilities },
    ]
  );
}

export function modeOf(adapter: AgentAdapter, name: string): AgentMode {
  const modes = modesOf(adapter);
  const mode = modes.find((m) => m.name === name);
  if (mode) return mode;
  throw new CapabilityError(
    adapter.agent,
    'mode',
    `${adapter.displayName} has no mode "${name}"; it has: ${modes.map((m) => m.name).join(', ')}`,
  );
}

function otherModes(adapter: AgentAdapter, mode: AgentMode, rule: Rule, options: ResolvedRunOptions): string[] {
  return modesOf(adapter)
    .filter((other) => other !== mode && rule.granted(other.capabilities, options))
    .map((other) => other.name);
}

function need(
  option: keyof ResolvedRunOptions,
  isSet: (options: ResolvedRunOptions) => boolean,
  granted: (capabilities: AgentCapabilities) => boolean,
  refusal: string,
): Rule {
  return { option, isSet, granted, refusal: () => refusal };
}
