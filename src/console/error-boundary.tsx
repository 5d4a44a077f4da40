import { Component, type ReactNode } from 'react';
import { ErrorNotice } from './components/error-notice.tsx';

/** Shows an error instead of a blank screen when a page throws, for example because a new build replaced its files. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <main className="alone">
        <ErrorNotice error={error} retry={() => location.reload()} />
      </main>
    );
  }
}
