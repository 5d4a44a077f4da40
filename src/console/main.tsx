import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { VpError } from '../errors/vp-error.ts';
import { App } from './app.tsx';
import { ConsoleClientContext, createConsoleClient } from './session/client.ts';
import { listenForPressedLinks } from './session/pressed-links.ts';
import { isSignedOut } from './session/use-session.ts';

/** Retries server errors, which include an unreachable control plane. A refused request stays refused. */
function shouldRetry(failureCount: number, error: unknown): boolean {
  return failureCount < 3 && error instanceof VpError && error.row.status >= 500;
}

const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // A session can expire while a page is open: reading it again makes the gate ask for a sign-in.
    onError(error, { queryKey }) {
      if (isSignedOut(error) && queryKey[0] !== 'session')
        void queryClient.invalidateQueries({ queryKey: ['session'] });
    },
  }),
  defaultOptions: { queries: { retry: shouldRetry, refetchOnWindowFocus: false, networkMode: 'always' } },
});
listenForPressedLinks();
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <ConsoleClientContext value={createConsoleClient(location.origin)}>
        <QueryClientProvider client={queryClient}>
          <App />
        </QueryClientProvider>
      </ConsoleClientContext>
    </StrictMode>,
  );
}
