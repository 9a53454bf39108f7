using System.Runtime.Versioning;
using Cinnabar.Engine.Configuration;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>What comes in over io_uring, and how its loops end.</summary>
[SupportedOSPlatform("linux")]
public sealed class UringTransportTests() : LinuxTransportTests(TransportChoice.Uring);
