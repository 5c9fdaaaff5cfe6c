import { Empty } from '../parts/small.tsx';

/** Pages that are not there yet say where the same is told today. */
function Soon({ title, command }: { title: string; command: string }) {
  return (
    <Empty title={title}>
      <p className="muted">This page is not built yet. In a terminal the same is told by:</p>
      <pre className="command">{command}</pre>
    </Empty>
  );
}

export const HistorySoon = () => <Soon title="History" command="amux sessions search WORDS" />;
export const UsageSoon = () => <Soon title="Usage" command="amux sessions cost" />;
export const AgentsSoon = () => <Soon title="Agents" command="amux agents" />;
