import { Search } from 'lucide-react';

interface FilterProps {
  text: string;
  onText(text: string): void;
  agent: string;
  onAgent(agent: string): void;
  agents: readonly string[];
}

export function FilterBar({ text, onText, agent, onAgent, agents }: FilterProps) {
  return (
    <search className="filters">
      <label className="search">
        <Search className="icon" aria-hidden />
        <span className="hidden-text">Search sessions</span>
        <input
          type="search"
          placeholder="Search sessions"
          value={text}
          onChange={({ target }) => onText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            // The browser would empty it: what was looked for stays, and the keys go to what was found.
            event.preventDefault();
            event.currentTarget.blur();
          }}
        />
        <kbd>/</kbd>
      </label>
      {agents.length > 1 ? (
        <select className="input" aria-label="Agent" value={agent} onChange={({ target }) => onAgent(target.value)}>
          <option value="">All agents</option>
          {agents.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      ) : null}
    </search>
  );
}
