/** Errors of the registry of MCP servers: of serving one, and of publishing to one. */
import { exitCode } from './exit-code.ts';
import { invalid, malformed, notFound, notReady, peerFailure, withStatus } from './row.ts';

const unproven = withStatus(401);
const foreign = withStatus(403);

/** The official registry answers 400 to what is there already, so that its clients know it. */
export const registryErrors = {
  REGISTRY_SERVER_UNKNOWN: notFound(
    'the registry has no server {{server}}',
    'search it: GET /v0/servers?search=<part of the name>; deleted ones are shown with include_deleted=true',
  ),
  REGISTRY_DNS_FAILED: notReady(
    'the TXT records of {{domain}} cannot be looked up: {{problem}}',
    'check that this machine can reach its name servers, then try again',
  ),
  REGISTRY_DOMAIN_INVALID: malformed(
    '{{domain}} is not a valid domain',
    'use one such as example.com: letters, digits and hyphens, and the xn-- form for other scripts',
  ),
  REGISTRY_DOMAIN_CLOSED: foreign(
    'this registry does not accept servers of {{domain}}',
    'its operator allows a domain with `vp serve --registry-domain {{domain}}`; if a parent domain is allowed, prove that one with --domain',
  ),
  REGISTRY_TIMESTAMP_REFUSED: unproven(
    'the signed timestamp is not accepted: {{problem}}',
    'sign the current time again, on a machine whose clock is right',
  ),
  REGISTRY_RECORD_MISSING: unproven(
    '{{domain}} has no publisher key in its TXT records{{malformed}}',
    'add the TXT record that `vp registry key{{option}}` prints to {{domain}} itself, not below it; it may take an hour until it is visible everywhere',
  ),
  REGISTRY_KEY_OTHER: unproven(
    'the signature was made with none of the keys in the TXT records of {{domain}}: {{keys}}',
    'add the TXT record that `vp registry key{{option}}` prints, next to the existing ones; `vp registry check {{domain}}{{option}}` reports when it is visible',
  ),
  REGISTRY_TOKEN_INVALID: unproven(
    'the publishing token is unknown or has expired',
    'prove the domain again, which `vp registry publish <file>` does by itself: a token is valid for 5 minutes',
  ),
  REGISTRY_NAME_FOREIGN: foreign(
    '{{name}} does not belong to {{domain}}',
    'name it {{namespace}}/…, or prove the domain that the name belongs to',
  ),
  REGISTRY_DOCUMENT_INVALID: withStatus(422)(
    'the document cannot be published: {{where}} {{problem}}',
    'correct what is listed (`diagnostics` in JSON), and check again with `vp registry publish <file> --dry-run`, which sends nothing',
  ),
  REGISTRY_VERSION_EXISTS: malformed(
    '{{name}} is already published in version {{version}}',
    'published versions never change: give the document another version, for example with `vp registry create <service> --as <version>`',
  ),
  REGISTRY_NAME_TAKEN: malformed(
    '{{name}} is already published as {{known}}',
    'write the name as it was published first: names that differ only in upper and lower case are easily confused',
  ),
  REGISTRY_URL_TAKEN: malformed(
    '{{url}} is an address of {{other}}',
    'publish another version of {{other}}, or delete it there first: an address belongs to one name',
  ),
  REGISTRY_FULL: withStatus(507)(
    'the registry is full: at most {{max}} versions {{scope}} are stored',
    'use an existing version, or ask the operator of the registry to free space',
  ),
  REGISTRY_STATUS_REFUSED: malformed(
    'the status was not changed: {{problem}}',
    'use another status: active, deprecated or deleted; the last two may have a message',
  ),
  REGISTRY_VERSION_FIXED: withStatus(501)(
    'published versions are never changed or removed in this registry',
    'publish another version, or mark this one as deprecated or deleted with `vp registry status <server> deprecated`',
  ),
  REGISTRY_KEY_MISSING: invalid(
    'there is no signing key for {{registry}}: {{file}} does not exist',
    'create one with `vp registry key --registry {{registry}}`, and add the TXT record that it prints',
  ),
  REGISTRY_KEY_UNUSABLE: invalid(
    '{{file}} does not contain a usable signing key: {{problem}}',
    'name another file with --key, or create a key with `vp registry key`',
  ),
  REGISTRY_KEY_ELSEWHERE: invalid(
    'the key in {{file}} is for {{other}}, not for {{registry}}',
    'create one for {{registry}} with `vp registry key`: with a shared key, each registry could publish at the other in your name',
  ),
  REGISTRY_FILE_UNREADABLE: invalid(
    '{{file}} cannot be published: {{problem}}',
    'name a file with the JSON that `vp registry create <service>` prints; - stands for standard input',
  ),
  REGISTRY_UNREACHABLE: peerFailure(
    'the registry {{registry}} cannot be reached: {{problem}}',
    'check the address that --registry names, and that this machine can reach it; --ca adds a certificate',
  ),
  REGISTRY_ANSWER_UNEXPECTED: peerFailure(
    '{{registry}} does not answer like a registry: {{problem}}',
    'check the address that --registry names: not every registry supports publishing',
  ),
  REGISTRY_FAULT: peerFailure(
    '{{registry}} cannot do this at the moment (status {{status}}): {{problem}}',
    'try again later; if this persists, inform its operator',
  ),
  REGISTRY_LIMITED: withStatus(429, exitCode.notReady)(
    '{{registry}} accepts no more requests at the moment',
    'wait {{retry_after_s}} s, then publish again',
  ),
  REGISTRY_PROOF_REFUSED: unproven(
    '{{registry}} does not accept the proof for {{domain}}, although its TXT record is correct as seen from here: {{problem}}',
    'its name servers may not see the record yet: wait until the old record expires, usually an hour, then try again',
  ),
  REGISTRY_DOCUMENT_REFUSED: withStatus(422)(
    '{{registry}} does not accept {{name}}: {{problem}}',
    'correct what it reports, or ask its operator',
  ),
} as const;
