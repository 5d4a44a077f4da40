import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useClient } from './client.ts';
import { isSignedOut, sessionQuery } from './use-session.ts';

const SignInPage = lazy(() => import('../sign-in/sign-in-page.tsx'));

/** Shows the sign-in page at the same address until the person is signed in, so that the requested page follows. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useQuery(sessionQuery(useClient()));
  if (isSignedOut(error)) return <SignInPage />;
  if (data) return children;
  if (!error) return null;
  return (
    <main className="alone">
      <ErrorNotice error={error} retry={refetch} />
    </main>
  );
}
