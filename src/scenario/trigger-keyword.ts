/** The first word of a request: a method of HTTP, or what is called in place of one. */
import { grpcWord, httpMethods, type Trigger } from './scenario.ts';
import { callWord } from './tool-call.ts';

export const triggerKeywords = [...httpMethods, callWord, grpcWord] as const;
export type TriggerKeyword = (typeof triggerKeywords)[number];

/** As the request line and the title have it. */
export function getTriggerKeyword({ method, tool, grpc }: Pick<Trigger, 'method' | 'tool' | 'grpc'>): TriggerKeyword {
  if (grpc) return grpcWord;
  return tool === undefined ? method : callWord;
}
