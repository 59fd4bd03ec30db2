"""The workbench: a local web server with pages to look at trees and orders, and an HTTP API.

Not public: the HTTP API is, and `niwaki.open_workbench`.
"""
