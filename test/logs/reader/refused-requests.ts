/** Requests that the log reader must refuse, whoever sends them. */

/** The rest of a request that is valid except for its first line. */
export const requestHead = 'Host: localhost\r\n\r\n';

/** Request lines, without the version, that are answered with 404; `id` is that of a container. */
export function listRefusedRequestLines(id: string): string[] {
  return [
    'GET /',
    'GET /containers/json?all=1',
    `GET /containers/${id}/json`,
    `GET /containers/${id}/archive?path=/`,
    `GET /v1/tail/../../containers/${id}/json`,
    'GET /v1/tail%2f..%2f..%2fcontainers%2fjson',
    'GET /v1/%74ail',
    'GET //v1/tail',
    'GET /v1/tail/',
    'GET /v1/tail;service=app',
    'GET /v1/TAIL',
    'GET http://localhost/v1/tail',
    'GET http://localhost/containers/json',
    'POST /v1/tail',
    'HEAD /v1/tail',
    'DELETE /v1/tail',
    'OPTIONS /v1/tail',
    `POST /containers/create`,
    `POST /containers/${id}/exec`,
    'GET /events',
    'GET /_ping',
  ];
}

/** Queries of the valid path that are answered with 400. */
export const refusedQueries = [
  'service=../../secrets',
  'service=app/json',
  'service=app%2Fjson',
  'service=app%0aX-Evil:%201',
  'service=app%0D%0A%0D%0AGET%20/containers/json',
  'service=app%00',
  'service=',
  `service=${'a'.repeat(129)}`,
  'service=app&tail=all',
  'service=app&follow=1',
  'project=bank',
  'after=all',
  'after=0',
  'after=-1763764800000',
  'after=1763764800000&after=1763764800000',
  'after=2026-11-20T14:30:12Z',
  'AFTER=1763764800000',
  'SERVICE=app',
  'service=app%22%7D',
  `${'service=a&'.repeat(64)}service=a`,
];

/** Bytes that are not a request, or not one to this path. */
export const malformedRequests = [
  `CONNECT localhost:80 HTTP/1.1\r\n${requestHead}`,
  `GET * HTTP/1.1\r\n${requestHead}`,
  'nonsense\r\n\r\n',
  '\x16\x03\x01\x02',
];
