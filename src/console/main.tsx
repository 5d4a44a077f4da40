import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { VpError } from '../errors/vp-error.ts';
import { App } from './app.tsx';
import { ConnectionContext, connect } from './session/connection.ts';
import { isSignedOut } from './session/use-session.ts';

/** Refusals stay as they are when asked again; a network may mend. */
function isWorthRepeating(failures: number, error: unknown): boolean {
  return failures < 3 && error instanceof VpError && error.row.status >= 500;
}

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // A session may end while a page is open: the gate then asks for a new one.
    onError(error, { queryKey }) {
      if (isSignedOut(error) && queryKey[0] !== 'session') void queries.invalidateQueries({ queryKey: ['session'] });
    },
  }),
  defaultOptions: { queries: { retry: isWorthRepeating, refetchOnWindowFocus: false, networkMode: 'always' } },
});
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <ConnectionContext value={connect(location.origin)}>
        <QueryClientProvider client={queries}>
          <App />
        </QueryClientProvider>
      </ConnectionContext>
    </StrictMode>,
  );
}
