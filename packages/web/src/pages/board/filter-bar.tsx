import { Search } from 'lucide-react';
import type { Choice } from './board.logic.ts';

interface FilterProps {
  text: string;
  onText(text: string): void;
  agent: string;
  onAgent(agent: string): void;
  agents: readonly string[];
  /** Where there is more than one, and the page can tell them apart. */
  projects?: readonly Choice[];
  project?: string;
  onProject?(project: string): void;
}

export function FilterBar({
  text,
  onText,
  agent,
  onAgent,
  agents,
  projects = [],
  project = '',
  onProject,
}: FilterProps) {
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
      {agents.length > 1 || agent !== '' ? (
        <select className="input" aria-label="Agent" value={agent} onChange={({ target }) => onAgent(target.value)}>
          <option value="">All agents</option>
          {agents.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      ) : null}
      {onProject && (projects.length > 1 || project !== '') ? (
        <select
          className="input"
          aria-label="Project"
          value={project}
          onChange={({ target }) => onProject(target.value)}
        >
          <option value="">All projects</option>
          {projects.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      ) : null}
    </search>
  );
}
