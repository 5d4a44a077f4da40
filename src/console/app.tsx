import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { EmptyState } from './components/empty-state.tsx';
import { Skeleton } from './components/skeleton.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Home } from './home.tsx';
import RunsPage from './runs/list/runs-page.tsx';
import { SessionGate } from './session/session-gate.tsx';
import { Frame } from './shell/frame.tsx';

const RunPage = lazy(() => import('./runs/detail/run-page.tsx'));
const ScenariosPage = lazy(() => import('./scenarios/scenarios-page.tsx'));
const ScenarioPage = lazy(() => import('./scenarios/scenario-page.tsx'));
const HubPage = lazy(() => import('./hub/hub-page.tsx'));
const HubsPage = lazy(() => import('./hub/hubs-page.tsx'));
const RegistryPage = lazy(() => import('./registry/registry-page.tsx'));
const SettingsPage = lazy(() => import('./settings/settings-page.tsx'));
const SignInPage = lazy(() => import('./sign-in/sign-in-page.tsx'));
const SingleSignOnPage = lazy(() => import('./sign-in/single-sign-on-page.tsx'));
const SetupPage = lazy(() => import('./sign-in/setup-page.tsx'));
const ResetPasswordPage = lazy(() => import('./sign-in/reset-password-page.tsx'));
const InvitationPage = lazy(() => import('./sign-in/invitation-page.tsx'));
const DevicePage = lazy(() => import('./sign-in/device-page.tsx'));
const InteractionPage = lazy(() => import('./sign-in/interaction-page.tsx'));

/** All routes of the console. Pages that need no session are outside the frame. */
export function App() {
  return (
    <ErrorBoundary>
      <Suspense fallback={null}>
        <Switch>
          <Route path="/setup" component={SetupPage} />
          <Route path="/reset-password" component={ResetPasswordPage} />
          <Route path="/invitation" component={InvitationPage} />
          <Route path="/interaction/:uid">{({ uid }) => <InteractionPage uid={uid} />}</Route>
          <Route path="/single-sign-on" component={SingleSignOnPage} />
          <Route path="/sign-in" component={SignInPage} />
          <Route>
            <SessionGate>
              <SignedInRoutes />
            </SessionGate>
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}

function SignedInRoutes() {
  return (
    <Frame>
      <Suspense fallback={<Skeleton rows={10} />}>
        <Switch>
          <Route path="/" component={Home} />
          <Route path="/instances/:instance/runs">
            {({ instance }) => <RunsPage key={instance} instance={instance} />}
          </Route>
          <Route path="/instances/:instance/scenarios">{({ instance }) => <ScenariosPage instance={instance} />}</Route>
          <Route path="/instances/:instance/scenarios/:scenario">
            {({ instance, scenario }) => <ScenarioPage key={scenario} instance={instance} scenario={scenario} />}
          </Route>
          <Route path="/runs/:run">{({ run }) => <RunPage runId={run} />}</Route>
          <Route path="/hubs" component={HubsPage} />
          <Route path="/hubs/:hub/:part?">{({ hub, part }) => <HubPage slug={hub} pageName={part} />}</Route>
          <Route path="/registry" component={RegistryPage} />
          <Route path="/settings/:part">{({ part }) => <SettingsPage pageName={part} />}</Route>
          <Route path="/settings">
            <Redirect to="/settings/environments" replace />
          </Route>
          <Route path="/device" component={DevicePage} />
          <Route>
            <EmptyState title="Page not found">
              <p>There is no page at this address.</p>
              <a href="/">Go to the runs</a>
            </EmptyState>
          </Route>
        </Switch>
      </Suspense>
    </Frame>
  );
}
