/** Content in place of a prompt: text of the user, or a note of the CLI. As 2.1.325 writes it. */
export type Notice = { prompt: string } | { note: string };

/** The output of commands that ran without the model. */
const OUTPUT = /^<(local-command-stdout|local-command-stderr|bash-stdout)>([\s\S]*)<\/\1>/;

export function parseNotice(content: string): Notice {
  const text = content.trimStart();
  const command = inside(text, 'command-name');
  if (command && /^<command-(name|message)>/.test(text)) {
    return { prompt: [command, inside(text, 'command-args')].filter(Boolean).join(' ') };
  }
  const shell = text.startsWith('<bash-input>') && inside(text, 'bash-input');
  if (shell) return { prompt: `! ${shell}` };
  const output = OUTPUT.exec(text);
  if (output) return { note: (output[2] ?? '').trim() };
  if (text.startsWith('<task-notification>'))
    return { note: inside(text, 'summary') ?? 'A background task has ended.' };
  if (text.startsWith('[Request interrupted by user')) return { note: text };
  return { prompt: content };
}

function inside(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  const end = text.indexOf(`</${tag}>`, start);
  return start === -1 || end === -1 ? undefined : text.slice(start + tag.length + 2, end).trim();
}
