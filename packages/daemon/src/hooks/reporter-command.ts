import { fileURLToPath } from 'node:url';
import { shellCommand } from '@agent-mux/core/light';

/**
 * The command that an agent's hooks run for each event: this installation, by its path. `amux` may not be on the PATH
 * (npx), and then the agent would show an error at each step.
 */
export function reporterFor(agent: string): (event: string) => string {
  const main = fileURLToPath(import.meta.resolve('@agent-mux/daemon/reporter'));
  const flags = main.endsWith('.ts') ? ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'] : [];
  return (event) => shellCommand([process.execPath, ...flags, main, 'hooks', agent, event]);
}
