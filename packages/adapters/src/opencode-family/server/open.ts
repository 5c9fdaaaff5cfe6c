import { CapabilityError, type ResolvedRunOptions } from '@agent-mux/core';
import { agentFor, parseModel, variantOf } from '../choices.ts';
import { nativeServer } from '../config.ts';
import type { FamilyDialect } from '../dialect.ts';
import type { FamilyState } from './state.ts';

export function openState(options: ResolvedRunOptions, dialect: FamilyDialect): FamilyState {
  const { invocation, approvalMode, nativePermissionMode, model, sessionId, forkSessionId, thinkingEffort } = options;
  if (invocation.mode !== 'local') {
    const message = `${dialect.displayName} in mode "${options.mode}" runs on this machine only (option invocation)`;
    throw new CapabilityError(options.agent, 'invocation', message, 'use mode "run" to start it remotely');
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
    ...(thinkingEffort ? { variant: variantOf(thinkingEffort), variantDue: thinkingEffort } : {}),
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
