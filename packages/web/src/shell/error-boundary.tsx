import { Component, type ReactNode } from 'react';
import { Button, Empty } from '../parts/small.tsx';

/** A page that fails takes nothing else with it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Empty title="This page has failed">
        <p className="mono">{error instanceof Error ? error.message : String(error)}</p>
        <p className="muted">Your sessions are not touched by it.</p>
        <div className="empty-actions">
          <Button look="next" onClick={() => window.location.reload()}>
            Load it again
          </Button>
        </div>
      </Empty>
    );
  }
}
