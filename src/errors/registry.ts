/** Errors of the registry of MCP servers: of serving one, and of publishing to one. */
import { exitCode } from './exit-code.ts';
import { answering, invalid, malformed, missing, unreachable, unready } from './row.ts';

const unproven = answering(401);
const foreign = answering(403);

/** Area: registry. The official registry answers 400 to what is there already, so that its clients know it. */
export const registryErrors = {
  REGISTRY_SERVER_UNKNOWN: missing(
    'the registry has no server {{server}}',
    'search it: GET /v0/servers?search=<part of the name>; deleted ones are shown with include_deleted=true',
  ),
  REGISTRY_DNS_FAILED: unready(
    'the name servers do not say what TXT records {{domain}} has: {{problem}}',
    'see that this machine reaches its name servers, then try again',
  ),
  REGISTRY_DOMAIN_INVALID: malformed(
    '{{domain}} is no domain',
    'take one such as example.com: letters, digits and hyphens, names of other scripts in their xn-- form',
  ),
  REGISTRY_DOMAIN_CLOSED: foreign(
    'this registry takes nothing from {{domain}}',
    'whoever runs it allows a domain with `vp serve --registry-domain {{domain}}`; where one above it is allowed, prove that with --domain',
  ),
  REGISTRY_TIMESTAMP_REFUSED: unproven(
    'the signed timestamp is not taken: {{problem}}',
    'sign the present moment anew, on a machine whose clock is right',
  ),
  REGISTRY_RECORD_MISSING: unproven(
    '{{domain}} shows no key of a publisher in its TXT records{{found}}',
    'add the TXT record that `vp registry key{{at}}` prints to {{domain}} itself, not below it; until it is seen everywhere may take an hour',
  ),
  REGISTRY_KEY_OTHER: unproven(
    'none of the keys that {{domain}} shows in its TXT records made the signature: {{keys}}',
    'add the TXT record that `vp registry key{{at}}` prints beside what is there; `vp registry check {{domain}}{{at}}` says when it is seen',
  ),
  REGISTRY_TOKEN_INVALID: unproven(
    'the token for publishing is not known, or has ended',
    'prove the domain again, which `vp registry publish` does by itself: a token holds for 5 minutes',
  ),
  REGISTRY_NAME_FOREIGN: foreign(
    '{{name}} is no name of {{domain}}',
    'name it {{namespace}}/…, or prove the domain that the name belongs to',
  ),
  REGISTRY_DOCUMENT_INVALID: answering(422)(
    'the document cannot be published: {{where}} {{problem}}',
    'correct what is listed (`diagnostics` in JSON), and look again with `vp registry publish --dry-run`, which sends nothing',
  ),
  REGISTRY_VERSION_EXISTS: malformed(
    '{{name}} is published in version {{version}} already',
    'what is published is never changed: give the document another version, as `vp registry make --as <version>` does',
  ),
  REGISTRY_NAME_TAKEN: malformed(
    '{{name}} is published already, written {{known}}',
    'write the name as it was published first: names that differ only in large and small letters would be taken for each other',
  ),
  REGISTRY_URL_TAKEN: malformed(
    '{{url}} is an address of {{other}}',
    'publish another version of {{other}}, or delete it there first: an address belongs to one name',
  ),
  REGISTRY_FULL: answering(507)(
    'the registry is full: {{most}} versions {{what}} are kept',
    'go on with a version that is there, or have whoever runs the registry make room',
  ),
  REGISTRY_STATUS_REFUSED: malformed(
    'the status was not changed: {{problem}}',
    'say another status: active, deprecated or deleted, the last two with a message if you like',
  ),
  REGISTRY_VERSION_FIXED: answering(501)(
    'what is published in this registry is never changed or removed',
    'publish another version, or say with `vp registry status` that this one is deprecated or deleted',
  ),
  REGISTRY_KEY_MISSING: invalid(
    'there is no signing key for {{registry}}: {{file}} is not there',
    'make one with `vp registry key --registry {{registry}}`, and add the TXT record that it prints',
  ),
  REGISTRY_KEY_UNUSABLE: invalid(
    '{{file}} holds no key that can sign: {{problem}}',
    'name another file with --key, or make a key with `vp registry key`',
  ),
  REGISTRY_KEY_ELSEWHERE: invalid(
    'the key in {{file}} is for {{other}}, not for {{registry}}',
    'make one for {{registry}} with `vp registry key`: with a key for both, each could publish at the other in your name',
  ),
  REGISTRY_FILE_UNREADABLE: invalid(
    '{{file}} cannot be published: {{problem}}',
    'name a file with the JSON that `vp registry make` prints; - stands for standard input',
  ),
  REGISTRY_UNREACHABLE: unreachable(
    'the registry {{registry}} cannot be reached: {{problem}}',
    'check the address that --registry names, and that this machine gets there; --ca adds a certificate',
  ),
  REGISTRY_ANSWER_UNEXPECTED: unreachable(
    '{{registry}} does not answer as a registry does: {{problem}}',
    'check the address that --registry names: publishing is not part of every registry',
  ),
  REGISTRY_FAULT: unreachable(
    '{{registry}} cannot do this just now (status {{status}}): {{problem}}',
    'try again later; when it stays, tell whoever runs it',
  ),
  REGISTRY_LIMITED: answering(429, exitCode.notReady)(
    '{{registry}} takes no more calls for now',
    'wait {{retry_after_s}} s, then publish again',
  ),
  REGISTRY_PROOF_REFUSED: unproven(
    '{{registry}} does not take the proof for {{domain}}, whose TXT record is right as seen from here: {{problem}}',
    'its name servers may not see the record yet: wait as long as the old answer holds, an hour at most places, and try again',
  ),
  REGISTRY_DOCUMENT_REFUSED: answering(422)(
    '{{registry}} does not take {{name}}: {{problem}}',
    'correct what it says, or ask whoever runs it',
  ),
} as const;
