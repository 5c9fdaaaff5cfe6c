import { Search } from 'lucide-react';
import type { Choice } from './inbox-page.logic.ts';

interface FilterProps {
  text: string;
  onText(text: string): void;
  agent: string;
  onAgent(agent: string): void;
  agents: readonly string[];
  /** Projects to filter by, on pages that support it. */
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
            // By default the browser clears the field. Keep the query and return the keyboard to the list.
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
