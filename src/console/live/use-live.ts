import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState } from 'react';
import { useClient } from '../session/client.ts';
import { applyChangeEvents, refreshAfterConnection } from './apply-changes.ts';
import type { LiveState } from './live-message.ts';
import { subscribeToChanges } from './live-stream.ts';

export const LiveContext = createContext<LiveState>({ kind: 'connecting' });

export function useLiveState(): LiveState {
  return useContext(LiveContext);
}

/** Applies the stream of changes to the query cache while the component is mounted. Use it once for the whole page. */
export function useLiveChanges(): LiveState {
  const client = useClient();
  const queryClient = useQueryClient();
  const [state, setState] = useState<LiveState>({ kind: 'connecting' });
  useEffect(
    () =>
      subscribeToChanges(client, {
        onChanges: (changes) => applyChangeEvents(queryClient, changes),
        onState(next) {
          setState(next);
          if (next.kind === 'live') void refreshAfterConnection(queryClient);
          // A refused credential requires a new sign-in.
          if (next.kind === 'broken' && next.error.code.startsWith('CREDENTIAL'))
            void queryClient.invalidateQueries({ queryKey: ['session'] });
        },
      }),
    [client, queryClient],
  );
  return state;
}
