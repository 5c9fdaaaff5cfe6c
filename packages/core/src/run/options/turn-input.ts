import type { AgentAdapter, AgentMode } from '../../contract/adapter.ts';
import { type Fault, ValidationError } from '../../contract/errors.ts';
import type { Attachment, ResolvedRunOptions, TurnInput } from '../../contract/options.ts';
import { gateOptions } from './gate.ts';
import { resolveAttachment } from './options.ts';

/** A further turn's input, held to the same rules as the first one's. */
export function resolveTurn(
  { adapter, mode, options }: { adapter: AgentAdapter; mode: AgentMode; options: ResolvedRunOptions },
  { text, attachments = [] }: { text: string; attachments?: readonly Attachment[] },
): TurnInput {
  const faults: Fault[] = [];
  if (typeof text !== 'string') faults.push({ field: 'prompt', problem: 'must be a string' });
  const files = attachments.map((file, i) => resolveAttachment(file, options.cwd, `attachments[${i}]`, faults));
  if (faults.length === 0 && text.trim() === '' && files.length === 0)
    faults.push({ field: 'prompt', problem: 'must not be empty' });
  if (faults.length > 0) throw new ValidationError('turn', faults, { agent: options.agent });
  gateOptions(adapter, mode, { ...options, attachments: files }, 'attachments');
  return { text, attachments: files };
}
