import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode } from 'react';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from './connection.ts';
import { isSignedOut, sessionQuery } from './use-session.ts';

const SignInPage = lazy(() => import('../sign-in/sign-in-page.tsx'));

/** Shows the page to somebody signed in, else the way to sign in, at the same address: it goes on where it was meant to. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useQuery(sessionQuery(useConnection()));
  if (isSignedOut(error)) return <SignInPage />;
  if (data) return children;
  if (!error) return null;
  return (
    <main className="alone">
      <Problem error={error} retry={refetch} />
    </main>
  );
}
