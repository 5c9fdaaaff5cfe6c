import { fileURLToPath } from 'node:url';
import { shellCommand } from '@agent-mux/core/light';

/**
 * What the hooks of an agent call for each event: this very installation, by its path. `amux` may be on nobody's PATH (npx), and
 * then the agent would show an error at each of its steps.
 */
export function reporterFor(agent: string): (event: string) => string {
  const main = fileURLToPath(import.meta.resolve('@agent-mux/daemon/reporter'));
  const flags = main.endsWith('.ts') ? ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'] : [];
  return (event) => shellCommand([process.execPath, ...flags, main, 'hooks', agent, event]);
}
