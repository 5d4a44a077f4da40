/** The two ways to sign in: through this machine's browser, and through any other with a code that is typed. */
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openLoopback } from './loopback.ts';
import { codeOf, loginProblem, type OAuthClient } from './oauth-client.ts';

/** What a sign-in gives. */
export type Grant = {
  readonly token: string;
  readonly refreshToken: string | undefined;
  readonly expiresInSeconds: number;
};

const scope = 'api';
const patienceMs = 600_000;

type Answer = { readonly access_token: string; readonly refresh_token?: string; readonly expires_in?: number };

/** The parts of a token response that are kept. */
export function grantOf({ access_token: token, refresh_token: refreshToken, expires_in: lasts = 60 }: Answer): Grant {
  return { token, refreshToken, expiresInSeconds: lasts };
}

/** `onUrl` is told where the person is to go. Throws LOGIN_REFUSED, LOGIN_EXPIRED, LOGIN_FAILED. */
export async function loginByBrowser(
  { library, config, url }: OAuthClient,
  clock: Pick<Clock, 'after'>,
  onUrl: (url: string) => void,
): Promise<Grant> {
  const [verifier, state] = [library.randomPKCECodeVerifier(), library.randomState()];
  const loopback = await openLoopback(state);
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(patienceMs, () => reject(vpError('LOGIN_EXPIRED', {})));
  try {
    const address = library.buildAuthorizationUrl(config, {
      redirect_uri: loopback.redirectUri,
      scope,
      state,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    onUrl(address.href);
    const back = await Promise.race([loopback.visit, tooLate]);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    return grantOf(await library.authorizationCodeGrant(config, back, checks));
  } catch (thrown) {
    throw loginProblem(thrown, url);
  } finally {
    cancel();
    loopback.close();
  }
}

/** What a person needs to let a device in. */
export type DeviceCode = {
  readonly verificationUri: string;
  readonly userCode: string;
  readonly expiresInSeconds: number;
};

/** `onCode` is told what the person is to type, and where. Throws LOGIN_REFUSED, LOGIN_EXPIRED, LOGIN_FAILED. */
export async function loginByDevice(
  { library, config, url }: OAuthClient,
  clock: Pick<Clock, 'monotonicMs'>,
  onCode: (code: DeviceCode) => void,
): Promise<Grant> {
  let endsMs = Number.POSITIVE_INFINITY;
  try {
    const asked = await library.initiateDeviceAuthorization(config, { scope });
    const { verification_uri: verificationUri, user_code: userCode, expires_in: expiresInSeconds } = asked;
    endsMs = clock.monotonicMs() + expiresInSeconds * 1000;
    onCode({ verificationUri, userCode, expiresInSeconds });
    return grantOf(await library.pollDeviceAuthorizationGrant(config, asked));
  } catch (thrown) {
    // The library gives up by itself at that time, in words of its own.
    const isLate = codeOf(thrown) === undefined && clock.monotonicMs() >= endsMs - 500;
    throw isLate ? vpError('LOGIN_EXPIRED', {}, { cause: thrown }) : loginProblem(thrown, url);
  }
}
