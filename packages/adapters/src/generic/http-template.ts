import { suggestNames } from '@agent-mux/core';

/** Placeholders of a body template; `messages` is the whole conversation and can only be a separate value. */
const PLACEHOLDERS = ['prompt', 'system', 'model', 'session', 'messages'] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface TemplateValues {
  prompt: string;
  system?: string;
  model?: string;
  session: string;
  messages: readonly Message[];
}

const WHOLE = /^\{\{(\w{1,64})\}\}$/;
const ANYWHERE = /\{\{(\w{1,64})\}\}/g;

/** The placeholders of a template, and its issues. */
export function inspectTemplate(template: unknown): { uses: Set<Placeholder>; problems: string[] } {
  const uses = new Set<Placeholder>();
  const problems: string[] = [];
  for (const text of textsIn(template)) {
    for (const [, name = ''] of text.matchAll(ANYWHERE)) {
      if (!isPlaceholder(name)) problems.push(unknownPlaceholder(name));
      else if (name === 'messages' && !WHOLE.test(text))
        problems.push('{{messages}} is a list and must be the whole value');
      else uses.add(name);
    }
  }
  if (problems.length === 0 && !uses.has('prompt') && !uses.has('messages')) {
    problems.push('has neither {{prompt}} nor {{messages}}: the message would not be sent');
  }
  return { uses, problems };
}

/**
 * The template with values in place of its placeholders: as JSON values, so that no text can become syntax. A field
 * that has only a placeholder without a value (no model or system prompt) is omitted.
 */
export function fillTemplate(template: unknown, values: TemplateValues): unknown {
  if (typeof template === 'string') return fillText(template, values);
  if (Array.isArray(template)) {
    return template.map((item) => fillTemplate(item, values)).filter((item) => item !== undefined);
  }
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template)
      .map(([key, value]) => [key, fillTemplate(value, values)])
      .filter(([, value]) => value !== undefined),
  );
}

function fillText(text: string, values: TemplateValues): unknown {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined && isPlaceholder(whole)) return values[whole];
  return text.replace(ANYWHERE, (found, name: string) =>
    isPlaceholder(name) && name !== 'messages' ? (values[name] ?? '') : found,
  );
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) yield* textsIn(inner);
}

function isPlaceholder(name: string): name is Placeholder {
  return PLACEHOLDERS.some((known) => known === name);
}

function unknownPlaceholder(name: string): string {
  const [near] = suggestNames(name, PLACEHOLDERS);
  const known = PLACEHOLDERS.map((each) => `{{${each}}}`).join(', ');
  return `{{${name}}} is unknown; ${near ? `did you mean {{${near}}}?` : `there are: ${known}`}`;
}
