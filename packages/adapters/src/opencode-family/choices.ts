import { type ResolvedRunOptions, type ThinkingEffort, ValidationError } from '@agent-mux/core';
import type { FamilyDialect } from './dialect.ts';

/** A model as the CLI's API names it. */
export interface ModelRef {
  providerID: string;
  modelID: string;
}

/** Variant names of the CLI's own models. */
export function variantOf(effort: ThinkingEffort): string {
  return effort === 'off' ? 'none' : effort;
}

/** The CLI's modes are agents. By default, the user's default agent is used. */
export function agentFor(options: ResolvedRunOptions, dialect: FamilyDialect): string | undefined {
  if (options.nativePermissionMode) return options.nativePermissionMode;
  if (options.approvalMode === 'plan') return dialect.planAgent;
  return replacesSystemPrompt(options) ? dialect.defaultAgent : undefined;
}

export function replacesSystemPrompt(options: ResolvedRunOptions): boolean {
  return options.systemPrompt !== undefined && options.systemPromptMode === 'replace';
}

/** `provider/model`; the model's own name may contain further slashes. */
export function parseModel(model: string, agent: string): ModelRef {
  const at = model.indexOf('/');
  if (at > 0 && at < model.length - 1) return { providerID: model.slice(0, at), modelID: model.slice(at + 1) };
  const problem = `"${model}" names no provider: use provider/model`;
  throw new ValidationError('run options', [{ field: 'model', problem }], { agent });
}
