import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState } from 'react';
import { useConnection } from '../session/connection.ts';
import { applyChanges } from './apply.ts';
import type { LiveState } from './message.ts';
import { listenLive } from './stream.ts';

/** How the stream is doing, for the bar that says so. */
export const LiveContext = createContext<LiveState>({ kind: 'connecting' });

/** See {@link LiveContext}. */
export function useLiveState(): LiveState {
  return useContext(LiveContext);
}

/** Keeps what is loaded true for as long as the component is shown; once for the whole page. */
export function useLiveChanges(): LiveState {
  const connection = useConnection();
  const queries = useQueryClient();
  const [state, setState] = useState<LiveState>({ kind: 'connecting' });
  useEffect(
    () =>
      listenLive(connection, {
        changed: (changes) => applyChanges(queries, changes),
        state(next) {
          setState(next);
          // What was loaded before the stream began may have changed in between; a refused stream means a new sign-in.
          if (next.kind === 'live') void queries.invalidateQueries({ queryKey: ['runs'] });
          if (next.kind === 'broken' && next.told.code.startsWith('CREDENTIAL'))
            void queries.invalidateQueries({ queryKey: ['session'] });
        },
      }),
    [connection, queries],
  );
  return state;
}
