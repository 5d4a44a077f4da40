import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Skeleton } from '../components/skeleton.tsx';

type QueryContentProps<T> = { readonly query: UseQueryResult<T>; readonly children: (data: T) => ReactNode };

/** Shows a skeleton until data arrives. An error is shown above data that was loaded earlier. */
export function QueryContent<T>({ query: { data, error, refetch }, children }: QueryContentProps<T>) {
  return (
    <>
      {error ? <ErrorNotice error={error} retry={refetch} /> : null}
      {data === undefined ? error ? null : <Skeleton rows={5} /> : children(data)}
    </>
  );
}
