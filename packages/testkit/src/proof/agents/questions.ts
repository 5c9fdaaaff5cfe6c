/** The input of Claude Code's tool that asks its user; Qwen Code took it over. */
export function askOneQuestion(question: string, options: readonly string[]): Record<string, unknown> {
  const choices = options.map((label) => ({ label, description: `choose ${label}` }));
  return { questions: [{ question, header: 'Proof', options: choices, multiSelect: false }] };
}
