import { Component, type ReactNode } from 'react';
import { Problem } from './parts/problem.tsx';

/** Shows what a page threw in place of a blank screen; a new build may have replaced the files of this one. */
export class Broken extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <main className="alone">
        <Problem error={error} retry={() => location.reload()} />
      </main>
    );
  }
}
