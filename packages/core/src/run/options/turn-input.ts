import type { AgentAdapter, AgentMode } from '../../contract/adapter.ts';
import { ValidationError, type ValidationIssue } from '../../contract/errors.ts';
import type { Attachment, ResolvedRunOptions, TurnInput } from '../../contract/options.ts';
import { gateOptions } from './gate.ts';
import { resolveAttachment } from './options.ts';

/** Checks the input of a further turn by the rules of the first one. */
export function resolveTurn(
  { adapter, mode, options }: { adapter: AgentAdapter; mode: AgentMode; options: ResolvedRunOptions },
  { text, attachments = [] }: { text: string; attachments?: readonly Attachment[] },
): TurnInput {
  const issues: ValidationIssue[] = [];
  if (typeof text !== 'string') issues.push({ field: 'prompt', problem: 'must be a string' });
  const files = attachments.map((file, i) => resolveAttachment(file, options.cwd, `attachments[${i}]`, issues));
  if (issues.length === 0 && text.trim() === '' && files.length === 0)
    issues.push({ field: 'prompt', problem: 'must not be empty' });
  if (issues.length > 0) throw new ValidationError('turn', issues, { agent: options.agent });
  gateOptions(adapter, mode, { ...options, attachments: files }, 'attachments');
  return { text, attachments: files };
}
