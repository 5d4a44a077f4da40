/** Calls of gRPC of targets that break their protocols. */
import { testHostileStreams } from '../streams/hostile-streams.ts';

testHostileStreams('calls', 70);
