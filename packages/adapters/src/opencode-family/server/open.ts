import { CapabilityError, type ResolvedRunOptions, type ThinkingEffort, ValidationError } from '@agent-mux/core';
import { nativeServer } from '../config.ts';
import type { FamilyDialect } from '../dialect.ts';
import type { FamilyState, ModelRef } from './state.ts';

export function openState(options: ResolvedRunOptions, dialect: FamilyDialect): FamilyState {
  const { invocation, approvalMode, nativePermissionMode, model, sessionId, forkSessionId, thinkingEffort } = options;
  if (invocation.mode !== 'local') {
    const message = `${dialect.displayName} in mode "${options.mode}" runs on this machine only (option invocation)`;
    throw new CapabilityError(options.agent, 'invocation', message, 'mode "run" can be started elsewhere');
  }
  const agentName = agentFor(options, dialect);
  return {
    directory: options.cwd,
    ...(sessionId ? { resume: sessionId } : {}),
    ...(forkSessionId ? { fork: forkSessionId } : {}),
    approvalMode,
    ...(agentName ? { agentName } : {}),
    withRules: nativePermissionMode === undefined,
    allowedTools: [...(options.allowedTools ?? [])],
    deniedTools: [...(options.deniedTools ?? [])],
    addDirs: [...(options.addDirs ?? [])],
    ...(model ? { model: parseModel(model, options.agent) } : {}),
    ...(thinkingEffort ? { variant: variantOf(thinkingEffort) } : {}),
    ...(options.systemPrompt && options.systemPromptMode === 'append' ? { system: options.systemPrompt } : {}),
    ...(options.outputSchema ? { outputSchema: options.outputSchema } : {}),
    mcpServers: Object.keys(options.mcpServers ?? {}),
    mcpDue: dialect.attached ? mcpDue(options) : [],
    mcpAdded: [],
    rulesDue: false,
    agentRules: [],
    subagents: {},
    rules: [],
    lastMessageId: '',
    turn: null,
    messages: {},
    parts: {},
    tools: {},
    children: {},
    questions: {},
  };
}

function mcpDue({ mcpServers = {} }: ResolvedRunOptions): FamilyState['mcpDue'] {
  return Object.entries(mcpServers).map(([name, server]) => ({ name, config: nativeServer(server) }));
}

/** What the CLI's own models call their variants. */
export function variantOf(effort: ThinkingEffort): string {
  return effort === 'off' ? 'none' : effort;
}

/** The CLI's modes are agents. Where none is asked for, the user's default agent works. */
export function agentFor(options: ResolvedRunOptions, dialect: FamilyDialect): string | undefined {
  if (options.nativePermissionMode) return options.nativePermissionMode;
  if (options.approvalMode === 'plan') return dialect.planAgent;
  return replacesSystemPrompt(options) ? dialect.defaultAgent : undefined;
}

export function replacesSystemPrompt(options: ResolvedRunOptions): boolean {
  return options.systemPrompt !== undefined && options.systemPromptMode === 'replace';
}

/** `provider/model`; the model's own name may hold further slashes. */
export function parseModel(model: string, agent: string): ModelRef {
  const at = model.indexOf('/');
  if (at > 0 && at < model.length - 1) return { providerID: model.slice(0, at), modelID: model.slice(at + 1) };
  const problem = `"${model}" names no provider: models are written provider/model`;
  throw new ValidationError('run options', [{ field: 'model', problem }], { agent });
}
