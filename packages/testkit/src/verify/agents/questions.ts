/** The input of Claude Code's question tool; Qwen Code uses the same. */
export function askOneQuestion(question: string, options: readonly string[]): Record<string, unknown> {
  const choices = options.map((label) => ({ label, description: `choose ${label}` }));
  return { questions: [{ question, header: 'Verify', options: choices, multiSelect: false }] };
}
