from niwaki.kernel.systems._system import System

SYSTEM: System
