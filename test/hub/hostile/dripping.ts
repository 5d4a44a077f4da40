/** A body of which a piece comes every now and then, for ever. */

const everyMs = 100;

/** An answer of that kind; it ends when nobody reads it any more. */
export function dripping(type: string, piece: (at: number) => string): Response {
  const encoder = new TextEncoder();
  let timer: ReturnType<typeof setInterval> | undefined;
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        at += 1;
        controller.enqueue(encoder.encode(piece(at)));
      }, everyMs);
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(body, { headers: { 'Content-Type': type } });
}
