import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';

type LoadedProps<T> = { readonly query: UseQueryResult<T>; readonly children: (data: T) => ReactNode };

/** What a query read; before that a frame of its size, and what went wrong above what was read earlier. */
export function Loaded<T>({ query: { data, error, refetch }, children }: LoadedProps<T>) {
  return (
    <>
      {error ? <Problem error={error} retry={refetch} /> : null}
      {data === undefined ? error ? null : <Skeleton rows={5} /> : children(data)}
    </>
  );
}
